export { loadSchema, readCodedSchema, readSchema, SchemaRejected } from './read-files.ts'
export { closedByOmission, openByOmission } from './require-rules.ts'
export { isSchemaFolder, isSchemaName, walkSchemaFolder } from './schema-files.ts'
export { openService, type ReloadOutcome, type Service, type ServiceOptions } from './service.ts'
