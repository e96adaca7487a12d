import { defineConfig } from "vitest/config";

const source = { ssr: { resolve: { conditions: ["@tidegate/source"] } } };

export default defineConfig({
  test: {
    projects: [
      {
        ...source,
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.property.test.ts"],
        },
      },
      {
        ...source,
        test: { name: "property", include: ["packages/*/test/**/*.property.test.ts"] },
      },
    ],
  },
});
