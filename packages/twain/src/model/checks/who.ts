// `who` of `@allow` and `@next`: anyone, signedIn, self, or a path of fields at whose end a viewer can stand.

import { didYouMean } from '#base'
import type { Word } from '../directives/arguments.ts'
import type { Abstract, Field, Resource } from '../model.ts'
import type { Sketch } from '../reading/sketch.ts'
import { accountOf } from './account.ts'

/** The resource at the end of the path where that is not the account type: who may see its row stands there. */
export function checkWho(who: Word, from: Resource, sketch: Sketch): Resource | null {
  if (who.text === 'anyone') return null
  const account = accountOf(sketch)
  if (!account) {
    sketch.report.at(
      who.node,
      `who: "${who.text}" asks who is signed in, and no type has @account.`,
      'Write @account on the type that signs in.',
    )
    return null
  }
  if (who.text === 'signedIn') return null
  if (who.text === 'self') {
    if (from.name !== account.name) {
      const hint = `Name the field of ${from.name} that leads to ${account.name}.`
      sketch.report.at(who.node, `"self" is the viewer's own account, and ${from.name} is not ${account.name}.`, hint)
    }
    return null
  }
  const end = walk(who, from, sketch)
  if (!end || end.name === account.name) return null
  if (end.kind === 'resource') return end
  if (!end.members.some(({ name }) => name === account.name)) {
    sketch.report.at(
      who.node,
      `"${who.text}" ends at ${end.name}, and no account is one.`,
      `Let it end at ${account.name}.`,
    )
  }
  return null
}

function walk({ text, node }: Word, from: Resource, sketch: Sketch): Resource | Abstract | null {
  let at: Resource | Abstract = from
  for (const name of text.split('.')) {
    const field: Field | undefined = at.fields.get(name)
    if (field && field.kind !== 'stored') {
      at = field.to
      continue
    }
    if (field) {
      sketch.report.at(
        node,
        `"${text}" ends at ${at.name}.${name}, which is no row where a viewer could stand.`,
        waysOf(at),
      )
    } else if (!sketch.declared(at).fields.has(name)) {
      const words = [...relationsOf(at), ...(at === from ? ['anyone', 'signedIn', 'self'] : [])]
      sketch.report.at(
        node,
        `"${text}" leads nowhere: ${at.name} has no field ${name}.`,
        didYouMean(name, words).trim() || waysOf(at),
      )
    }
    return null
  }
  return at
}

function relationsOf(type: Resource | Abstract): string[] {
  return [...type.fields.values()].filter(({ kind }) => kind !== 'stored').map(({ name }) => name)
}

function waysOf(type: Resource | Abstract): string {
  const ways = relationsOf(type)
  return ways.length > 0 ? `From ${type.name} it can go by ${ways.join(', ')}.` : `${type.name} refers to nothing.`
}
