import type { Model } from '#model'
import { deprecationReasons } from '#plan/explain'
import { code, inline, numbered, table } from './markdown.ts'

export function versioningPart(model: Model): string {
  const deprecated = [...deprecationReasons(model)].map(([path, reason]) => [code(path), inline(reason)])
  const moved = [...model.resources, ...model.abstracts].flatMap(({ path, formerPaths }) =>
    formerPaths.map((former) => [code(`/${former}`), code(`/${path}`)]),
  )
  return [
    numbered([
      'Neither face has version identifiers: no path and no header names a version, and the contract evolves in place.',
      'What is to go is deprecated first (`@deprecated(reason:)`): introspection, OpenAPI and the documentation say so, and answers that have to do with it have `Deprecation` (RFC 9745), `Sunset` (RFC 8594, where the reason has a date) and `Link: rel="deprecation"`.',
      'Changes are additive: a start with a contract that would break clients of the one before is refused with a list; input types gain optional fields only. `twain check --against` says the same beforehand.',
      'A path that has moved leads on: 301 for GET and HEAD, 308 for other methods; in GraphQL the former names stay as deprecated ones.',
      'Introspection, `/openapi.json` and `/docs` tell the capabilities as of now.',
      'Rows have versions of their own: the number in `ETag` and `If-Match`, `_version` and `ifVersion` in GraphQL, `version` in events.',
    ]),
    deprecated.length === 0 ? 'Nothing is deprecated now.\n' : table(['Deprecated now', 'Reason'], deprecated),
    moved.length === 0 ? 'No path has moved.\n' : table(['Former path', 'Leads to'], moved),
  ].join('\n')
}
