export { openapiText } from './openapi/document.ts'
export { createRest } from './rest.ts'
