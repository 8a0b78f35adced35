// Edits a long text: only the lines in view are in the page, and what was typed becomes a value after a pause. A text area would need
// tens of milliseconds for each key.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { useEffect, useRef } from 'preact/hooks'
import type { ValueControlProps } from './value-control.tsx'

interface LargeTextProps extends Pick<ValueControlProps, 'text' | 'common' | 'onText'> {
  name: string
  /** Else lines are wrapped at words. */
  isCode: boolean
}

const pauseMs = 400

export function LargeText({ text, common, name, isCode, onText }: LargeTextProps) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(onText)
  latest.current = onText
  const editor = useRef<EditorView | null>(null)
  /** The text that the form knows. */
  const known = useRef(text)
  const isDisabled = common.disabled === true
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isTouched = false
    const tell = () => {
      clearTimeout(timer)
      if (!isTouched) return
      isTouched = false
      known.current = view.state.doc.toString()
      latest.current(known.current)
    }
    /** The key is for the page, which saves. */
    const tellFirst = () => {
      tell()
      return false
    }
    const onChange = EditorView.updateListener.of(({ docChanged }) => {
      if (!docChanged) return
      isTouched = true
      clearTimeout(timer)
      timer = setTimeout(tell, pauseMs)
    })
    // The editor adds styles of its own, which the policy of the page allows in a shadow root only.
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const state = EditorState.create({
      doc: known.current,
      extensions: [
        history(),
        keymap.of([{ key: 'Mod-s', run: tellFirst }, ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': name, spellcheck: String(!isCode) }),
        EditorState.readOnly.of(isDisabled),
        EditorView.editable.of(!isDisabled),
        EditorView.theme({ '&': { maxHeight: '24rem', font: 'inherit' }, '.cm-scroller': { fontFamily: 'inherit' } }),
        onChange,
      ],
    })
    const view = new EditorView({ state, parent: root, root })
    editor.current = view
    const element = host.current!
    element.addEventListener('focusout', tell)
    return () => {
      element.removeEventListener('focusout', tell)
      tell()
      view.destroy()
      editor.current = null
    }
  }, [isDisabled])
  useEffect(() => {
    const view = editor.current
    if (view === null || text === known.current) return // it comes from here
    known.current = text
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
  }, [text])
  return <div ref={host} class={`large-text${isCode ? ' code' : ''}`} aria-invalid={common['aria-invalid']} />
}
