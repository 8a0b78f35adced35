export { createRest } from './rest.ts'
