import { weights } from '#plan'
import { defaultPageSize } from '#plan/build'
import type { ContractOptions } from './contract-options.ts'
import { table } from './markdown.ts'

export function limitsPart({ limits, http }: ContractOptions): string {
  const value = (limit: number, unit = '') => (limit === 0 ? 'none' : `${limit}${unit}`)
  return [
    'All of these are enforced, in both APIs where they apply; each is a setting (`limits.depth` is `--limits-depth` and `TWAIN_LIMITS_DEPTH`), and the values are those of this configuration.\n',
    table(
      ['Limit', 'Value', 'Notes'],
      [
        [
          'Query depth (`limits.depth`)',
          value(limits.depth),
          'nested selection sets; `fields=` of REST too; `QUERY_TOO_DEEP`',
        ],
        ['Cost: maximumCost (`limits.cost`)', value(limits.cost), '`QUERY_TOO_COSTLY`'],
        ['Cost: scalarCost', String(weights.scalar), 'each scalar field, unless `@cost(weight)` says another'],
        ['Cost: objectCost', String(weights.object), 'each object field'],
        ['Cost: listFactor', String(weights.list), 'a list multiplies its field and all below'],
        [
          'Page size (`limits.page`)',
          value(limits.page, ' rows'),
          `${defaultPageSize} where none is said; more is a 400`,
        ],
        ['Body (`limits.bodyBytes`)', value(limits.bodyBytes, ' bytes'), '413'],
        ['Upload (`limits.uploadBytes`)', value(limits.uploadBytes, ' bytes'), '413'],
        ['GraphQL batch (`limits.batch`)', value(limits.batch, ' operations'), '400'],
        [
          'Transaction (`limits.transaction`)',
          value(limits.transaction, ' operations'),
          '`/batch`, `@transaction`, arrays, JSON patches; 400',
        ],
        ['Document (`limits.documentTokens`)', value(limits.documentTokens, ' tokens'), '`GRAPHQL_PARSE_FAILED`'],
        ['Time of a request (`limits.timeSeconds`)', value(limits.timeSeconds, ' s'), '503 with `Retry-After`'],
        ['Time of custom code (`limits.codeSeconds`)', value(limits.codeSeconds, ' s'), '503'],
        [
          'Requests (`limits.requestsPerMinute`)',
          value(http.requestsPerMinute, ' a minute'),
          'for each viewer or address, on each node; 429 with `Retry-After`, `RateLimit` on every answer',
        ],
        ['URL (`limits.urlBytes`)', value(http.urlBytes, ' bytes'), '414'],
        ['Header (`limits.headerBytes`)', value(http.headerBytes, ' bytes'), '431'],
        ['Client query batching interval', '10 ms', 'client option of `@twain/client`, at most 10 operations'],
      ],
    ),
  ].join('\n')
}
