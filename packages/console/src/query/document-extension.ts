// What the editor knows about a GraphQL document: colours, mistakes, completion.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, keymap } from '@codemirror/view'
import { type Analysis, analyse, type Candidate } from './analyse.ts'
import { runKey } from './code-editor.tsx'
import { highlightDocument, matchBrackets, mistakeMark } from './highlight.ts'
import { type GraphqlSchema, isRequired } from './schema.ts'

export const setSchema = StateEffect.define<GraphqlSchema | null>()

interface AnalysedDocument {
  schema: GraphqlSchema | null
  analysis: Analysis
}

const analysed = StateField.define<AnalysedDocument>({
  create: (state) => ({ schema: null, analysis: analyse(state.doc.toString(), null) }),
  update(value, transaction) {
    const effect = transaction.effects.find((one) => one.is(setSchema))
    if (effect === undefined && !transaction.docChanged) return value
    const schema = effect === undefined ? value.schema : (effect.value as GraphqlSchema | null)
    return { schema, analysis: analyse(transaction.state.doc.toString(), schema) }
  },
  provide: (field) =>
    EditorView.decorations.from(field, ({ analysis }) =>
      Decoration.set(
        analysis.mistakes.filter(({ from, to }) => from < to).map(({ from, to }) => mistakeMark.range(from, to)),
      ),
    ),
})

export function analysisOf(state: EditorState): Analysis {
  return state.field(analysed).analysis
}

/** `onMove` is told of the cursor and of every change. */
export function documentExtension(onMove: (state: EditorState) => void, onRun: () => void): Extension {
  return [
    runKey(onRun),
    keymap.of(completionKeymap),
    analysed,
    highlightDocument((state) => analysisOf(state).tokens),
    matchBrackets,
    autocompletion({ override: [complete], defaultKeymap: false, icons: false }),
    EditorView.updateListener.of((update) => {
      const isNew = update.transactions.some(({ effects }) => effects.some((one) => one.is(setSchema)))
      if (update.docChanged || update.selectionSet || isNew) onMove(update.state)
    }),
  ]
}

function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const slot = analysisOf(state).slotAt(pos)
  if (slot === null) return null
  const isNamed = slot.name !== null && slot.name.from <= pos
  const before = state.sliceDoc(Math.max(0, pos - 1), pos)
  if (!explicit && !isNamed && !/[{(@$:]/.test(before)) return null
  const options = slot.candidates().map(optionOf)
  if (options.length === 0) return null
  return { from: isNamed ? slot.name!.from : pos, options, validFor: /^\$?\w*$/ }
}

function optionOf(candidate: Candidate): Completion {
  const { name, kind, type, description, deprecated } = candidate
  const text = [description, deprecated === null ? null : `Deprecated. ${deprecated}`].filter(Boolean).join('\n\n')
  return {
    label: name,
    detail: type === '' ? kind : type,
    boost: deprecated === null ? (name.startsWith('_') ? -1 : 0) : -2,
    ...(text !== '' && { info: () => document.createTextNode(text) as unknown as Node }),
    ...(kind === 'argument' || kind === 'input field' ? { apply: `${name}: ` } : {}),
    ...(candidate.field?.args.some(isRequired)
      ? { apply: (view, _, from, to) => insertCall(view, name, from, to) }
      : {}),
  }
}

/** With the parentheses for the required arguments, and the cursor between them. */
function insertCall(view: EditorView, name: string, from: number, to: number): void {
  const hasArguments = /^\s*\(/.test(view.state.sliceDoc(to, to + 20))
  const insert = hasArguments ? name : `${name}()`
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + name.length + (hasArguments ? 0 : 1) },
    userEvent: 'input.complete',
  })
}
