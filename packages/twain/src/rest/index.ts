export { loadOpenapiText, openapiProfiles } from './openapi/documentation-pages.ts'
export { createRest } from './rest.ts'
