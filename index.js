// OpenCode V2 takes a local folder by its index.* alone, so the entry is repeated here.
export { default } from "./dist/plugin.js";
