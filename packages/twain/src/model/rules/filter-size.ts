// Limits the size of a filter in the file. The planner limits conditions and levels; the keys and braces counted here are
// never fewer than those.

import { type ConstValueNode, Kind } from 'graphql/language'
import type { MistakeReport } from '../mistakes.ts'

const maxWords = 200
const deepest = 16

export function checkFilterSize(node: ConstValueNode, report: MistakeReport): void {
  const { words, depth } = sizeOf(node)
  if (depth > deepest) report.at(node, `The filter is nested deeper than ${deepest} levels.`, 'Make it flatter.')
  if (words > maxWords) {
    const hint = '"in" takes many values as one.'
    report.at(node, `The filter has ${words} words; at most ${maxWords} are allowed.`, hint)
  }
}

function sizeOf(node: ConstValueNode): { words: number; depth: number } {
  if (node.kind === Kind.LIST) return sum(node.values)
  if (node.kind !== Kind.OBJECT) return { words: 0, depth: 0 }
  const { words, depth } = sum(node.fields.map(({ value }) => value))
  return { words: words + node.fields.length, depth: depth + 1 }
}

function sum(nodes: readonly ConstValueNode[]): { words: number; depth: number } {
  const sizes = nodes.map(sizeOf)
  const words = sizes.reduce((all, size) => all + size.words, 0)
  return { words, depth: Math.max(0, ...sizes.map(({ depth }) => depth)) }
}
