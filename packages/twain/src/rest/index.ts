export { openapiText } from './openapi/load-document.ts'
export { createRest } from './rest.ts'
