import required from "../cjs/by-require.js";
import * as imported from "./by-import.js";

export { imported, required };
