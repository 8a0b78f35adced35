// What the editor of the variables knows: JSON, and the variables that the operation declares.

import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import type { DeclaredVariable } from './analyse.ts'
import { runKey } from './code-editor.tsx'
import { highlightJson, matchBrackets } from './highlight.ts'
import { queryTexts } from './query-texts.ts'
import { isNonNull, printType } from './schema.ts'

export function variablesExtension(declared: () => readonly DeclaredVariable[], onRun: () => void): Extension {
  return [
    runKey(onRun),
    keymap.of(completionKeymap),
    highlightJson,
    matchBrackets,
    autocompletion({ override: [(context) => complete(context, declared())], defaultKeymap: false, icons: false }),
  ]
}

/** The names of variables, at the top of the object. */
function complete(context: CompletionContext, declared: readonly DeclaredVariable[]): CompletionResult | null {
  const before = context.state.sliceDoc(0, context.pos)
  const [, start = ''] = /[{,]\s*("?\w*)$/.exec(before) ?? []
  const depth = before.replaceAll(/"(?:\\.|[^"\\])*"?/g, '').replaceAll(/[^{}[\]]/g, '')
  if (!/[{,]\s*"?\w*$/.test(before) || depth.replaceAll(/\{\}|\[\]/g, '') !== '{') return null
  if (start === '' && !context.explicit) return null
  const after = context.state.sliceDoc(context.pos, context.pos + 1) === '"' ? 1 : 0
  return {
    from: context.pos - start.length,
    to: context.pos + after,
    options: declared.map(({ name, type }) => ({
      label: `"${name}"`,
      detail: type === null ? '' : printType(type),
      apply: `"${name}": `,
    })),
    filter: start !== '"' && start !== '',
  }
}

export interface ReadVariables {
  values: Record<string, unknown> | null
  mistakes: readonly string[]
}

/** `values`: null where the text can not be sent. */
export function readVariables(text: string, declared: readonly DeclaredVariable[]): ReadVariables {
  let values: unknown = {}
  try {
    if (text.trim() !== '') values = JSON.parse(text)
  } catch (error) {
    return { values: null, mistakes: [queryTexts.variablesNotJson((error as Error).message)] }
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return { values: null, mistakes: [queryTexts.variablesNotObject] }
  const given = values as Record<string, unknown>
  return {
    values: given,
    mistakes: [
      ...Object.keys(given)
        .filter((name) => !declared.some((one) => one.name === name))
        .map(queryTexts.variableUnknown),
      ...declared
        .filter(
          ({ name, type, hasDefault }) =>
            type !== null && isNonNull(type) && !hasDefault && (given[name] ?? null) === null,
        )
        .map(({ name, type }) => queryTexts.variableMissing(name, printType(type!))),
    ],
  }
}
