// A picture that can be moved and zoomed with the pointer and the keyboard. It has no style attributes: the policy forbids them.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { schemaTexts } from './schema-texts.ts'

interface CanvasProps {
  label: string
  width: number
  height: number
  children: ComponentChildren
}

interface ViewBox {
  x: number
  y: number
  width: number
  height: number
}

const zoomStep = 1.25
/** Of the visible part. */
const moveStep = 0.1

export function Canvas({ label, width, height, children }: CanvasProps) {
  const svg = useRef<SVGSVGElement>(null)
  const view = useSignal<ViewBox>(wholeOf(width, height))
  const grip = useRef<{ x: number; y: number; isMoved: boolean } | null>(null)
  useEffect(() => {
    view.value = wholeOf(width, height)
  }, [width, height])
  const move = (x: number, y: number) => {
    view.value = { ...view.value, x: view.value.x + x, y: view.value.y + y }
  }
  const zoom = (factor: number) => {
    const now = view.value
    const next = { width: now.width / factor, height: now.height / factor }
    if (next.width < 40 || next.width > 40 * wholeOf(width, height).width) return
    view.value = { x: now.x + (now.width - next.width) / 2, y: now.y + (now.height - next.height) / 2, ...next }
  }
  const fit = () => {
    view.value = wholeOf(width, height)
  }
  useEffect(() => {
    // Preact's listeners are passive, and the browser would zoom the page.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      zoom(event.deltaY < 0 ? zoomStep : 1 / zoomStep)
    }
    const element = svg.current!
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  })
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { width: across, height: down } = view.value
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move(-across * moveStep, 0),
      ArrowRight: () => move(across * moveStep, 0),
      ArrowUp: () => move(0, -down * moveStep),
      ArrowDown: () => move(0, down * moveStep),
      '+': () => zoom(zoomStep),
      '=': () => zoom(zoomStep),
      '-': () => zoom(1 / zoomStep),
      '0': fit,
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  const onDrag = (event: PointerEvent) => {
    const from = grip.current
    if (from === null) return
    const moved = { x: event.clientX - from.x, y: event.clientY - from.y }
    if (!from.isMoved && Math.abs(moved.x) + Math.abs(moved.y) < 4) return // a click
    if (!from.isMoved) svg.current!.setPointerCapture(event.pointerId)
    const scale = view.value.width / svg.current!.clientWidth
    move(-moved.x * scale, -moved.y * scale)
    grip.current = { x: event.clientX, y: event.clientY, isMoved: true }
  }
  const { x, y, width: across, height: down } = view.value
  return (
    <div class="picture">
      <div class="actions">
        <button type="button" class="button" onClick={() => zoom(zoomStep)}>
          {schemaTexts.zoomIn}
        </button>
        <button type="button" class="button" onClick={() => zoom(1 / zoomStep)}>
          {schemaTexts.zoomOut}
        </button>
        <button type="button" class="button" onClick={fit}>
          {schemaTexts.fit}
        </button>
      </div>
      <svg
        ref={svg}
        role="group"
        aria-label={label}
        // In SVG the names of attributes are in lower case.
        tabindex={0}
        viewBox={`${x} ${y} ${across} ${down}`}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          if (event.button === 0) grip.current = { x: event.clientX, y: event.clientY, isMoved: false }
        }}
        onPointerMove={onDrag}
        onPointerUp={() => {
          grip.current = null
        }}
        onPointerCancel={() => {
          grip.current = null
        }}
      >
        <defs>
          <marker id="arrow-head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path class="arrow-head" d="M0,0 L8,4 L0,8 z" />
          </marker>
        </defs>
        {children}
      </svg>
    </div>
  )
}

/** Small pictures are not blown up. */
function wholeOf(width: number, height: number): ViewBox {
  const across = Math.max(width, 640)
  const down = Math.max(height, 240)
  return { x: (width - across) / 2, y: (height - down) / 2, width: across, height: down }
}
