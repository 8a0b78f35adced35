// graphql-js keeps all tokens of a document with its nodes, in a linked list. Only the start of a node is ever reported.

import type { ASTNode, DocumentNode } from 'graphql'

/** Of a node with its location (docs/internals/decisions/0045-bounded-memory.md). */
const nodeBytes = 140

/** Drops the tokens of a validated document and returns the estimated memory of the rest. */
export function dropTokens(document: DocumentNode): number {
  const { loc } = document
  const source = loc?.source
  let nodes = 0
  walk(document)
  return nodes * nodeBytes + 2 * (source?.body.length ?? 0)

  function walk(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const member of value) walk(member)
      return
    }
    nodes++
    const node = value as ASTNode
    if (node.loc !== undefined) {
      const { start, end } = node.loc
      Object.assign(node, { loc: { start, end, source } })
    }
    for (const [key, member] of Object.entries(node)) if (key !== 'loc') walk(member)
  }
}
