// Estimates the running time of a regular expression from its text: the degree of a polynomial, or Infinity if it may be
// exponential. The estimate is conservative: whatever is not proven harmless counts as harmful.
//
// 1. A *run* is a character or class that repeats without limit: *, +, {n,} or more than ten times.
// 2. Two runs add one degree each if a text can be divided between them in several ways: they share a character, and both
// contain everything that must stand between them.
// 3. A pattern that is not anchored is tried from every position: one degree more.
// 4. A group that repeats without limit is exponential, unless each iteration can be matched in only one way: it has a fixed
// length, or it begins or ends with a character that the rest of it does not have.

import { type PatternTerm, readPattern } from './pattern-terms.ts'

/** A piece of a pattern that matches one character per repetition. */
interface Piece {
  /** Source of a pattern that matches one of its characters. */
  source: string
  run: boolean
  required: boolean
  /** Degree of the lookaround at this place; such a piece matches no character. */
  look: number
}

const manyTimes = 10
/** Most pieces of a group that is expanded; a longer group is not analyzed. */
const maxPieces = 300

/** Returns the degree, at least 1, or Infinity if it may be exponential. `pattern` must compile with the u flag. */
export function patternDegree(pattern: string): number {
  const alternatives = readPattern(pattern)
  const flags = /\(\?[a-z-]+:/.test(pattern) ? 'isu' : 'u'
  const overlap = overlaps(flags)
  const anchored = alternatives.every(([first]) => first?.node.kind === 'start')
  const degree = degreeOf(piecesOf(alternatives, overlap), overlap)
  return Math.max(1, degree > 0 && !anchored ? degree + 1 : degree)
}

/** The longest text that a pattern of this degree matches in less than 50 ms (measured; decision 5). */
export function maxLengthForDegree(degree: number): number {
  return degree === 1 ? Number.POSITIVE_INFINITY : Math.floor(2_000_000 ** (1 / degree))
}

type Overlap = (a: string, b: string) => boolean

/** The alternatives of a group are concatenated: each of their characters is optional. */
function piecesOf(alternatives: readonly PatternTerm[][], overlap: Overlap): Piece[] {
  const pieces = alternatives.flatMap((terms) => terms.flatMap((term) => piecesOfTerm(term, overlap)))
  return alternatives.length === 1 ? pieces : pieces.map((piece) => ({ ...piece, required: false }))
}

function piecesOfTerm({ node, min, max }: PatternTerm, overlap: Overlap): Piece[] {
  switch (node.kind) {
    case 'start':
    case 'nothing':
      return []
    case 'char':
      if (max === 0) return []
      return [{ source: node.source, run: max > manyTimes, required: min > 0, look: 0 }]
    case 'look': {
      const look = degreeOf(piecesOf(node.alternatives, overlap), overlap)
      return look === 0 ? [] : [{ source: '[]', run: false, required: false, look }]
    }
    case 'group': {
      const inner = piecesOf(node.alternatives, overlap)
      if (max <= 1 || (max <= manyTimes && inner.length * max <= maxPieces)) {
        return Array.from({ length: max }, (_, n) => (n < min ? inner : inner.map(optional))).flat()
      }
      const look = max > manyTimes && readsOneWay(node.alternatives, inner, overlap) ? 0 : Number.POSITIVE_INFINITY
      const whole = { source: `(?:${inner.map(({ source }) => source).join('|') || '[]'})`, run: true, required: false }
      return [{ ...whole, look }]
    }
  }
}

function optional(piece: Piece): Piece {
  return { ...piece, required: false }
}

function readsOneWay(alternatives: readonly PatternTerm[][], inner: readonly Piece[], overlap: Overlap): boolean {
  if (inner.some(({ look }) => look > 0)) return false
  const fixed = alternatives.every((terms) => terms.length > 0 && terms.every(isFixed))
  if (fixed) {
    const firsts = alternatives.map(([first]) => (first!.node as { source: string }).source)
    return firsts.every((one, n) => firsts.slice(n + 1).every((other) => !overlap(one, other)))
  }
  const [terms, another] = alternatives
  if (another !== undefined || terms === undefined || degreeOf(inner, overlap) > 1) return false
  const ends = [terms[0], terms.at(-1)]
  return ends.some((end) => {
    if (end === undefined || !isFixed(end) || end.max !== 1) return false
    const { source } = end.node as { source: string }
    const rest = terms.filter((term) => term !== end).flatMap((term) => piecesOfTerm(term, overlap))
    return rest.every((piece) => !overlap(piece.source, source))
  })
}

function isFixed({ node, min, max }: PatternTerm): boolean {
  return node.kind === 'char' && min === max && min > 0 && max <= manyTimes
}

/** The longest chain of runs that can share a text, plus the lookarounds on the way. */
function degreeOf(pieces: readonly Piece[], overlap: Overlap): number {
  const chains: number[] = []
  let degree = 0
  pieces.forEach((piece, at) => {
    const before = pieces.slice(0, at)
    if (piece.look > 0) degree = Math.max(degree, piece.look + before.filter(({ run }) => run).length)
    chains[at] = 0
    if (!piece.run) return
    const joined = before.map((other, from) => {
      if (!other.run) return 0
      const between = pieces.slice(from + 1, at).filter(({ required }) => required)
      const apart = between.some((one) => !overlap(one.source, other.source) || !overlap(one.source, piece.source))
      return !apart && overlap(other.source, piece.source) ? chains[from]! : 0
    })
    chains[at] = 1 + Math.max(0, ...joined)
    degree = Math.max(degree, chains[at])
  })
  return degree
}

/** Whether two sources share a character among the first 65,536; few classes have characters beyond. */
function overlaps(flags: string): Overlap {
  const known = new Map<string, Uint8Array>()
  const charactersOf = (source: string) => {
    let found = known.get(source)
    if (found === undefined) {
      const expression = new RegExp(`^${source}$`, flags)
      found = Uint8Array.from({ length: 0x10000 }, (_, code) => (expression.test(String.fromCharCode(code)) ? 1 : 0))
      known.set(source, found)
    }
    return found
  }
  return (a, b) => {
    if (a === b) return true
    const other = charactersOf(b)
    return charactersOf(a).some((has, code) => has === 1 && other[code] === 1)
  }
}
