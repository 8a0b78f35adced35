// An `@allow` line in words, for people: the report of `twain check --access`, and hints beside a refusal.

import type { Json, Rule, Transition, Who } from '#model'

/** As it would be written, its filter in words: `@allow(who: "author", to: [READ]) where status = PUBLISHED`. */
export function describeRule({ who, role, to, where }: Rule): string {
  const said = [
    ...(who.kind === 'anyone' ? [] : [`who: "${whoText(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
    ...(to.length === 4 ? [] : [`to: [${to.join(', ')}]`]),
  ]
  const filter = where === null ? '' : ` where ${spellFilter(where)}`
  return `@allow${said.length === 0 ? '' : `(${said.join(', ')})`}${filter}`
}

/** What a row must be like for a line to hold; the role aside, and nothing for what holds on every row. */
export function describeCondition({ who, where }: Pick<Rule, 'who' | 'where'>): string {
  const parts = [
    ...(who.kind === 'self' || who.kind === 'path' ? [whoText(who)] : []),
    ...(where === null ? [] : [spellFilter(where)]),
  ]
  return parts.join(' and ')
}

/** A `@next` line: `@next(to: [PAID], role: "cashier") where address is not null`. */
export function describeTransition({ to, who, role, where }: Transition): string {
  const said = [
    `to: [${to.join(', ')}]`,
    ...(who === null ? [] : [`who: "${whoText(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
  ]
  return `@next(${said.join(', ')})${where === null ? '' : ` where ${spellFilter(where)}`}`
}

/** Who makes the move, and under which condition; nothing for a line that says neither. */
export function describeTransitionActor({ who, role, where }: Transition): string {
  const said = [
    ...(who === null ? [] : [whoText(who)]),
    ...(role === null ? [] : [`role ${role}`]),
    ...(where === null ? [] : [`where ${spellFilter(where)}`]),
  ]
  return said.join(', ')
}

function whoText(who: Who): string {
  return who.kind === 'path' ? who.text : who.kind
}

const signs: Record<string, string> = {
  eq: '=',
  ne: '≠',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  in: 'in',
  notIn: 'not in',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
}

/** `{status: {eq: PUBLISHED}, author: {isViewer: true}}` is `status = PUBLISHED and author is the viewer`. */
export function spellFilter(where: Json, path = ''): string {
  if (typeof where !== 'object' || where === null || Array.isArray(where)) return spellValue(where)
  const parts = Object.entries(where).map(([word, value]) => spellWord(word, value, path))
  return parts.length === 0 ? 'anything' : parts.join(' and ')
}

function spellWord(word: string, value: Json, path: string): string {
  const sign = signs[word]
  if (sign !== undefined && path !== '') return `${path} ${sign} ${spellValue(value)}`
  switch (word) {
    case 'isNull':
      return `${path} is ${value === true ? '' : 'not '}null`
    case 'isViewer':
      return `${path === '' ? 'it' : path} is ${value === true ? '' : 'not '}the viewer`
    case 'and':
    case 'or':
      return `(${listOf(value)
        .map((part) => spellFilter(part, path))
        .join(` ${word} `)})`
    case 'not':
      return `not (${spellFilter(value, path)})`
    case 'some':
    case 'none': {
      const inner = spellFilter(value)
      return `${word} of ${path}${inner === 'anything' ? '' : ` with (${inner})`}`
    }
    default:
      return spellFilter(value, path === '' ? word : `${path}.${word}`)
  }
}

function spellValue(value: Json): string {
  if (Array.isArray(value)) return value.map(spellValue).join(', ')
  return typeof value === 'string' && /^[\w-]+$/.test(value) ? value : JSON.stringify(value)
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}
