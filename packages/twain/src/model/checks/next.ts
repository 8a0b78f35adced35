// `@next`: moves between values of one enum, for every field that is of it.

import { Kind } from 'graphql/language'
import { didYouMean } from '#base'
import { wordArgument, wordsArgument } from '../directives/arguments.ts'
import type { DirectiveUse } from '../directives/read-directives.ts'
import { resourcesOf, type Sketch } from '../reading/sketch.ts'
import { readFilter } from '../rules/read-filter.ts'
import { readWho } from '../rules/read-who.ts'
import type { Standing } from './standing.ts'

export function checkNext(use: DirectiveUse, { type, value }: Standing, sketch: Sketch): void {
  const { report } = sketch
  const targets = wordsArgument(use, 'to')
  if (targets.length === 0 && use.args.get('to')?.kind === Kind.LIST) {
    report.at(use.node, 'This line moves nowhere.', `Name what follows ${value?.name}: @next(to: [OTHER]).`)
  }
  for (const { text, node } of targets) {
    const names = [...type.values.keys()]
    if (text === value?.name)
      report.at(node, `${text} can't follow itself.`, 'Writing the present state again is no move.')
    else if (!type.values.has(text)) {
      const hint = didYouMean(text, names).trim() || `It has ${names.join(', ')}.`
      report.at(node, `${type.name} has no value ${text}.`, hint)
    }
  }
  const owners = resourcesOf(sketch).filter(({ fields }) =>
    [...fields.values()].some(
      (field) => field.kind === 'stored' && field.type.kind === 'enum' && field.type.enum.name === type.name,
    ),
  )
  if (owners.length === 0) {
    report.at(
      use.node,
      `No resource has a field of the type ${type.name}, so nothing moves.`,
      'Use it, or remove @next.',
    )
  }
  const who = wordArgument(use, 'who')
  const where = use.args.get('where')
  for (const owner of owners) {
    if (who) readWho(who, owner, sketch)
    if (where) readFilter(where, owner, sketch)
  }
}
