export { type BoundCode, bindCode, CodeRejected, mayReadThenWrite } from './bind-code.ts'
export { generateTypes } from './generate-types.ts'
export { ConfigNotLoaded, configName, loadConfig } from './load-config.ts'
export { runCode } from './run-code.ts'
