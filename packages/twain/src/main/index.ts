export { readSchema, SchemaRejected } from './read-schema.ts'
export { openService, type Reload, type Service } from './service.ts'
