export { readCodedSchema } from './read-code.ts'
export { readSchema, SchemaRejected } from './read-schema.ts'
export { withoutRules } from './require-rules.ts'
export { openService, type Reload, type Service } from './service.ts'
