// A CodeMirror editor. It stands in a shadow root: there CodeMirror adopts its style sheets, while in the document it would add a style element,
// which the policy of the page forbids.

import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import {
  cursorDocEnd,
  cursorDocStart,
  deleteCharBackward,
  deleteCharForward,
  history,
  historyKeymap,
  selectAll,
} from '@codemirror/commands'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { useEffect, useRef } from 'preact/hooks'

interface CodeEditorProps {
  label: string
  text: string
  /** The editor takes the text over when this changes. It does not follow its own changes: the next key may have been pressed already. */
  revision: unknown
  /** Read once, when the editor is made. */
  extensions: Extension
  isReadOnly?: boolean
  onChange?(text: string): void
  onView?(view: EditorView): void
}

export function CodeEditor(props: CodeEditorProps) {
  const { label, text, revision, extensions, isReadOnly = false, onChange, onView } = props
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: 'open' })
    const view = new EditorView({
      root,
      parent: root,
      doc: text,
      extensions: [
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          ...(isReadOnly && { 'aria-readonly': 'true', tabindex: '0' }),
        }),
        movingKeys,
        isReadOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : writing,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed.current?.(update.state.doc.toString())
        }),
        extensions,
      ],
    })
    editor.current = view
    onView?.(view)
    return () => view.destroy()
  }, [])
  useEffect(() => {
    const view = editor.current!
    const { doc } = view.state
    if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
  }, [revision])
  return <div ref={place} class="code-editor" />
}

export function runKey(run: () => void): Extension {
  return keymap.of([
    {
      key: 'Mod-Enter',
      run: () => {
        run()
        return true
      },
    },
  ])
}

/** Text over a selection. Left to Chromium, it would try to keep the look of what was selected in a style attribute, which the policy forbids. */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event
    const { from, to, empty } = view.state.selection.main
    if (empty || isComposing || data === null || inputType !== 'insertText') return false
    event.preventDefault()
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' })
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

/** Keeps the indentation, and begins a block after an opening bracket. */
function insertNewline(view: EditorView): boolean {
  const { state } = view
  const { from, to } = state.selection.main
  const line = state.doc.lineAt(from)
  const indent = /^ */.exec(state.sliceDoc(line.from, from))![0]
  const isBlock = /[{([]$/.test(state.sliceDoc(line.from, from))
  const isClosed = isBlock && /^[})\]]/.test(state.sliceDoc(to, to + 1))
  const start = `\n${indent}${isBlock ? '  ' : ''}`
  view.dispatch({
    changes: { from, to, insert: isClosed ? `${start}\n${indent}` : start },
    selection: { anchor: from + start.length },
    scrollIntoView: true,
    userEvent: 'input',
  })
  return true
}

/** Other keys are the browser's own. `standardKeymap` of CodeMirror would need a parser of the language. */
const movingKeys = keymap.of([
  { key: 'Mod-a', run: selectAll },
  { key: 'Mod-Home', run: cursorDocStart },
  { key: 'Mod-End', run: cursorDocEnd },
])

const writing = [
  typeOver,
  history(),
  closeBrackets(),
  keymap.of([
    ...closeBracketsKeymap,
    ...historyKeymap,
    { key: 'Enter', run: insertNewline, shift: insertNewline },
    { key: 'Backspace', run: deleteCharBackward, shift: deleteCharBackward },
    { key: 'Delete', run: deleteCharForward },
  ]),
]

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--ground)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-tooltip': { border: '1px solid var(--line)', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal' },
  '.cm-completionInfo': { maxWidth: '24rem', whiteSpace: 'pre-wrap' },
  '.token-word': { color: 'var(--code-word)' },
  '.token-property': { color: 'var(--code-property)' },
  '.token-variable': { color: 'var(--code-variable)' },
  '.token-string': { color: 'var(--code-string)' },
  '.token-number': { color: 'var(--code-number)' },
  '.token-comment': { color: 'var(--dim)' },
  '.token-mistake': { textDecoration: 'underline wavy var(--bad)' },
  '.token-bracket': { outline: '1px solid var(--accent)' },
})
