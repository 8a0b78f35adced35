export { openapiText } from './openapi/openapi-text.ts'
export { createRest } from './rest.ts'
