// Formats a GraphQL document: one selection a line, arguments in one line where they have room. Comments and strings stay as they are.

import { type Token, tokensOf } from './tokens.ts'

const maxWidth = 80

export function formatDocument(text: string): string {
  const tokens = tokensOf(text)
  const lines: string[] = []
  let line = ''
  let depth = 0
  const end = () => {
    if (line !== '') lines.push('  '.repeat(depth) + line)
    line = ''
  }
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    const before = tokens[index - 1]
    if (token.kind === 'comment') {
      const isBeside = before !== undefined && !text.slice(before.to, token.from).includes('\n')
      if (isBeside && line === '' && lines.length > 0) lines[lines.length - 1] += ` ${token.text}`
      else {
        if (isBeside) line += ` ${token.text}`
        else {
          end()
          line = token.text
        }
        end()
      }
      continue
    }
    if (token.text === '(') {
      const close = closing(tokens, index)
      line += parenthesized(tokens.slice(index + 1, close), depth, line.length)
      index = close
      continue
    }
    if (token.text === '{') {
      line += line === '' ? '{' : ' {'
      end()
      depth += 1
      continue
    }
    if (token.text === '}') {
      end()
      depth = Math.max(0, depth - 1)
      lines.push(`${'  '.repeat(depth)}}`)
      if (depth === 0 && tokens[index + 1] !== undefined) lines.push('')
      continue
    }
    if (before !== undefined && beginsSelection(token, before, tokens, index, depth)) end()
    line += line === '' || isTight(before, token) ? token.text : ` ${token.text}`
  }
  end()
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

/** Whether this token begins another selection than the one before it. */
function beginsSelection(token: Token, before: Token, tokens: readonly Token[], index: number, depth: number): boolean {
  if (depth === 0) return false
  if (token.text === '...') return true
  if (token.kind !== 'name') return false
  if (before.text === ':' || before.text === '@') return false
  if (before.text === '...') return false
  const isTypeCondition = before.text === 'on' && tokens[index - 2]?.text === '...'
  return !isTypeCondition
}

function isTight(before: Token | undefined, token: Token): boolean {
  if (before === undefined) return true
  if ([':', '!', ']', ')'].includes(token.text)) return true
  if (before.text === '...') return token.text !== 'on' && token.kind === 'name'
  return ['$', '@', '['].includes(before.text)
}

/** The index of the `)`; of the last token, where it is missing. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index++) {
    if (tokens[index]!.text === '(') depth += 1
    if (tokens[index]!.text === ')') depth -= 1
    if (depth === 0) return index
  }
  return tokens.length
}

function parenthesized(tokens: readonly Token[], depth: number, column: number): string {
  const members = membersOf(tokens)
  const inner = '  '.repeat(depth + 1)
  const inline = `(${members.map((member) => printValue(member)).join(', ')})`
  const hasLines = tokens.some(({ kind, text }) => kind === 'comment' || text.includes('\n'))
  if (!hasLines && depth * 2 + column + inline.length <= maxWidth) return inline
  const lines = members.map((member) => `${inner}${printValue(member, `\n${inner}`)}`)
  return `(\n${lines.join('\n')}\n${'  '.repeat(depth)})`
}

/** The arguments or variables: each begins with its name, or its `$`. */
function membersOf(tokens: readonly Token[]): Token[][] {
  const members: Token[][] = []
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    const isName = token.kind === 'name' && tokens[index + 1]?.text === ':' && tokens[index - 1]?.text !== '$'
    const isStart =
      depth === 0 &&
      (isName || (token.text === '$' && tokens[index - 1]?.text !== ':' && tokens[index - 1]?.text !== '='))
    const isLead = token.kind === 'comment' && depth === 0
    const last = members.at(-1)
    const isAfterComment = last?.every(({ kind }) => kind === 'comment')
    if (last === undefined || ((isStart || isLead) && !isAfterComment)) members.push([token])
    else last.push(token)
    if (token.text === '{' || token.text === '[') depth += 1
    if (token.text === '}' || token.text === ']') depth -= 1
  }
  return members
}

/** `newLine` follows comments. */
function printValue(tokens: readonly Token[], newLine = '\n'): string {
  let text = ''
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    const isFirst = before === undefined
    if (before?.kind === 'comment') text += newLine + token.text
    else if (isFirst || isTightValue(before, token)) text += token.text
    else text += `${needsComma(before, token) ? ',' : ''} ${token.text}`
  }
  return text
}

function isTightValue(before: Token, token: Token): boolean {
  return ['{', '[', '$', '@'].includes(before.text) || ['}', ']', ':', '!'].includes(token.text)
}

/** Between the members of an object or a list, but not after a `:` or `=`, nor before a directive. */
function needsComma(before: Token, token: Token): boolean {
  return ![':', '='].includes(before.text) && !['=', '@'].includes(token.text) && token.kind !== 'comment'
}
