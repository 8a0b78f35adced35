// A filter of the schema file in words: for hints in errors, and for reports.

import { isClaimJson, isOperator, type Json, operators, typeWord } from '#model'

/** `{status: {eq: PUBLISHED}, author: {isViewer: true}}` is `status = PUBLISHED and author is the viewer`. */
export function describeFilter(where: Json, path = ''): string {
  if (typeof where !== 'object' || where === null || Array.isArray(where)) return describeValue(where)
  const { path: inner, ...words } = where
  if (path !== '' && typeof inner === 'string') return describeFilter(words, `${path}.${inner}`)
  const parts = Object.entries(where).map(([word, value]) => describeMember(word, value, path))
  return parts.length === 0 ? 'anything' : parts.join(' and ')
}

function describeMember(word: string, value: Json, path: string): string {
  if (path !== '' && word !== 'isNull' && isOperator(word))
    return `${path} ${operators[word].sign} ${describeValue(value)}`
  switch (word) {
    case 'isNull':
      return `${path} is ${value === true ? '' : 'not '}null`
    case 'exists':
      return `${path} ${value === true ? 'exists' : 'does not exist'}`
    case 'isViewer':
      return `${path === '' ? 'it' : path} is ${value === true ? '' : 'not '}the viewer`
    case 'and':
    case 'or':
      return `(${listOf(value)
        .map((part) => describeFilter(part, path))
        .join(` ${word} `)})`
    case 'not':
      return `not (${describeFilter(value, path)})`
    case 'some':
    case 'none': {
      const inner = describeFilter(value)
      return `${word} of ${path}${inner === 'anything' ? '' : ` with (${inner})`}`
    }
    case typeWord:
      return describeFilter(value, `the type of ${path === '' ? 'the row' : path}`)
    default:
      return describeFilter(value, path === '' ? word : `${path}.${word}`)
  }
}

function describeValue(value: Json): string {
  if (isClaimJson(value)) return `the claim ${describeValue(value.claim)}`
  if (Array.isArray(value)) return value.map(describeValue).join(', ')
  return typeof value === 'string' && /^[\w-]+$/.test(value) ? value : JSON.stringify(value)
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}
