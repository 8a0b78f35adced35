// The export of an account in the schema, if the file does not use its names itself.

import type { Model } from '#model'
import { deletedRowsType, exportNames } from '#model/names'
import { defaultPageSize } from '#plan/build'
import { block, described } from './sdl.ts'

export function exportTypes({ account }: Model): string[] {
  const { connection, edge } = exportNames(account!)
  return [
    described(
      `A page of the rows that belong to a ${account!.resource.name}.`,
      block(`type ${connection}`, [`edges: [${edge}!]!`, 'pageInfo: PageInfo!']),
    ),
    block(`type ${edge}`, [
      described(
        'The row, with its type in `_type`: as in REST, with ids for references. A file has its address.',
        'node: JSON!',
      ),
      'cursor: String!',
    ]),
  ]
}

export function exportField({ account, resources }: Model): string {
  const { field, connection } = exportNames(account!)
  const { name } = account!.resource
  const args = [
    'id: ID!',
    described('The maximum number of rows.', `first: Int! = ${defaultPageSize}`),
    described('The cursor after which the page begins: `endCursor` of the previous page.', 'after: String'),
    ...(resources.some(({ softDelete }) => softDelete !== undefined)
      ? [
          described(
            'Deleted rows that the viewer could restore: alone, or with the others.',
            `deleted: ${deletedRowsType}`,
          ),
        ]
      : []),
  ]
  return described(
    `The rows that access rules give to the ${name} as their owner. For the ${name} itself and the role admin, who see of them what they may read.`,
    `${field}(${args.join('\n')}): ${connection}!`,
  )
}
