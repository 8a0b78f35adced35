export { createConsole } from './console/console.ts'
export { SignInLinks } from './console/sign-in-links.ts'
export { Metrics } from './metrics.ts'
export { signUpFields } from './page/home-page-html.ts'
export { isLocal } from './request/proxy.ts'
export { isLoopback, originsOf } from './request/public-origins.ts'
export { RateLimit } from './request/rate-limit.ts'
export type { ServedRequest } from './request/served-request.ts'
export { createRoutes, type HttpHandler, type Routes } from './routes.ts'
export { type HttpServer, type ListenOptions, listen } from './server.ts'
export {
  defaultHttpLimits,
  defaultHttpSettings,
  type HttpLimits,
  type HttpSettings,
  httpMistakes,
} from './settings.ts'
export { createStaticFiles } from './static/static-files.ts'
