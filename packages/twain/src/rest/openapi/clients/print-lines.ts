// A document as JSON text with one line for each path and each component: small, and a diff shows what changed.

import { isRecord } from '#base'
import type { OpenapiObject, OpenapiValue } from '../json-parts.ts'

/** How deep a member begins a line of its own: `components`, `schemas` and the schema itself. */
const lineDepth = 3

export function printLines(document: OpenapiObject): string {
  return `${print(document, 0)}\n`
}

function print(value: OpenapiValue, depth: number): string {
  if (depth >= lineDepth || !isRecord(value)) return JSON.stringify(value)
  const indent = ' '.repeat(depth + 1)
  const lines = Object.entries(value as OpenapiObject).flatMap(([name, member]) =>
    member === undefined ? [] : [`${indent}${JSON.stringify(name)}: ${print(member, depth + 1)}`],
  )
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${' '.repeat(depth)}}`
}
