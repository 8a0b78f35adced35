export { createRoutes, type Handle, type Routes } from './routes.ts'
export { type HttpServer, type ListenOptions, listen } from './server.ts'
