import required from "../cjs/by-require.js";
import exercise from "../cjs/exercise.js";
import * as imported from "./by-import.js";

await exercise({ imported, required });
