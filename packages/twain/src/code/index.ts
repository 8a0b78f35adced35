export {
  type BoundCode,
  bindCode,
  CodeRejected,
  configName,
  configPath,
  loadConfig,
  mayReadThenWrite,
} from './bind-code.ts'
export { generateTypes } from './generate-types.ts'
export { runCode } from './run-code.ts'
