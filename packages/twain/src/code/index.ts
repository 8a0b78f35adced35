export { type BoundCode, bindCode, CodeRejected } from './bind-code.ts'
export { generateTypes } from './generate-types.ts'
export { configName, configPath, loadConfig } from './load-config.ts'
export { runCode } from './run-code.ts'
