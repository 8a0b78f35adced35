// Colours of tokens, and the pair of the bracket beside the cursor.

import { type EditorState, RangeSetBuilder, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { type Token, tokensOf } from './tokens.ts'

const marks = Object.fromEntries(
  ['word', 'property', 'variable', 'string', 'number', 'comment', 'mistake', 'bracket'].map((name) => [
    name,
    Decoration.mark({ class: `token-${name}` }),
  ]),
) as Record<TokenClass, Decoration>

type TokenClass = 'word' | 'property' | 'variable' | 'string' | 'number' | 'comment' | 'mistake' | 'bracket'

export const mistakeMark = marks.mistake

const words = new Set(['query', 'mutation', 'subscription', 'fragment', 'on', 'true', 'false', 'null'])

function classOf(token: Token, before: Token | undefined, after: Token | undefined): TokenClass | null {
  switch (token.kind) {
    case 'string':
      return after?.text === ':' ? 'property' : 'string'
    case 'number':
    case 'comment':
      return token.kind
    case 'name':
      if (before?.text === '$') return 'variable'
      return words.has(token.text) || before?.text === '@' ? 'word' : 'property'
    default:
      return token.text === '$' ? 'variable' : token.text === '@' ? 'word' : null
  }
}

function decorate(tokens: readonly Token[], offset: number, builder: RangeSetBuilder<Decoration>): void {
  for (const [index, token] of tokens.entries()) {
    const name = classOf(token, tokens[index - 1], tokens[index + 1])
    if (name !== null) builder.add(offset + token.from, offset + token.to, marks[name])
  }
}

/** Of the whole text, because a string of GraphQL may have several lines. `tokens` reads them from the state. */
export function highlightDocument(tokens: (state: EditorState) => readonly Token[]) {
  return EditorView.decorations.compute(['doc'], (state) => {
    const builder = new RangeSetBuilder<Decoration>()
    decorate(tokens(state), 0, builder)
    return builder.finish()
  })
}

/** Of the lines that are shown: an answer can have megabytes, and no token of JSON has several lines. */
export const highlightJson = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = shownTokens(view)
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = shownTokens(update.view)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** More of one line stays without colours. */
const maxLineLength = 20_000

function shownTokens({ visibleRanges, state }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of visibleRanges) {
    const start = state.doc.lineAt(from).from
    decorate(tokensOf(state.sliceDoc(start, Math.min(state.doc.lineAt(to).to, start + maxLineLength))), start, builder)
  }
  return builder.finish()
}

const pairs: Record<string, string> = { '{': '}', '(': ')', '[': ']' }
const openings: Record<string, string> = { '}': '{', ')': '(', ']': '[' }

export const matchBrackets = StateField.define<DecorationSet>({
  create: bracketsAt,
  update: (value, transaction) =>
    transaction.docChanged || transaction.selection ? bracketsAt(transaction.state) : value,
  provide: (field) => EditorView.decorations.from(field),
})

const maxBracketDistance = 50_000

function bracketsAt(state: EditorState): DecorationSet {
  const { head } = state.selection.main
  const start = Math.max(0, head - maxBracketDistance)
  const tokens = tokensOf(state.sliceDoc(start, head + maxBracketDistance))
  const index = tokens.findIndex(
    ({ text, from, to }) => (text in pairs || text in openings) && (start + to === head || start + from === head),
  )
  const other = index < 0 ? -1 : pairOf(tokens, index)
  if (other < 0) return Decoration.none
  const both = [tokens[index]!, tokens[other]!].toSorted((left, right) => left.from - right.from)
  return Decoration.set(both.map(({ from, to }) => marks.bracket.range(start + from, start + to)))
}

function pairOf(tokens: readonly Token[], index: number): number {
  const { text } = tokens[index]!
  const step = text in pairs ? 1 : -1
  const other = (pairs[text] ?? openings[text])!
  let depth = 0
  for (let at = index; at >= 0 && at < tokens.length; at += step) {
    if (tokens[at]!.text === text) depth += 1
    if (tokens[at]!.text === other) depth -= 1
    if (depth === 0) return at
  }
  return -1
}
