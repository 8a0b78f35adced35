// A chart over time, as SVG: its colours are those of the page, also dark and forced ones. Lines differ by their dashes, too, and all
// figures are in the tables of the page. A library for charts would be as large as the first load of the console.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { operationTexts as texts } from '../operation-texts.ts'
import { roundMax } from './round-max.ts'

interface ChartLine {
  label: string
  values: readonly (number | null)[]
  /** As `stroke-dasharray`; absent: a solid line. */
  dash?: string
  isBad?: boolean
}

interface ChartProps {
  title: string
  /** For those who do not see the picture. */
  summary: string
  /** In milliseconds since 1970. */
  times: readonly number[]
  lines: readonly ChartLine[]
}

const height = 160
/** Room for the labels of the axes. */
const left = 48
const bottom = 20
const top = 8
const right = 8

export function Chart({ title, summary, times, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const width = useSignal(400)
  useEffect(() => {
    const resizing = new ResizeObserver(() => {
      width.value = place.current!.clientWidth
    })
    resizing.observe(place.current!)
    return () => resizing.disconnect()
  }, [])
  const max = roundMax(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 1]
  const x = (time: number) => left + ((width.value - left - right) * (time - from)) / Math.max(1, to - from)
  const y = (value: number) => top + (height - top - bottom) * (1 - value / max)
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {lines.map(({ label, dash, isBad }) => (
          <span key={label} class="key">
            <svg width="24" height="8" aria-hidden="true">
              <path class={isBad === true ? 'bad' : ''} d="M0 4h24" stroke-dasharray={dash} />
            </svg>{' '}
            {label}
          </span>
        ))}
      </figcaption>
      <div ref={place}>
        <svg role="img" aria-label={summary} width={width.value} height={height}>
          {[0, max / 2, max].map((value) => (
            <g key={value}>
              <line class="grid" x1={left} x2={width.value - right} y1={y(value)} y2={y(value)} />
              <text x={left - 6} y={y(value) + 4} text-anchor="end">
                {texts.number(value)}
              </text>
            </g>
          ))}
          {times.length > 1 &&
            [from, to].map((time, index) => (
              <text key={index} x={x(time)} y={height - 4} text-anchor={index === 0 ? 'start' : 'end'}>
                {new Date(time).toLocaleTimeString()}
              </text>
            ))}
          {lines.map(({ label, values, dash, isBad }) => (
            <path
              key={label}
              class={isBad === true ? 'bad' : ''}
              stroke-dasharray={dash}
              d={pathOf(values, times, x, y)}
            />
          ))}
        </svg>
      </div>
    </figure>
  )
}

/** A value that is missing interrupts the line. */
function pathOf(
  values: ChartLine['values'],
  times: readonly number[],
  x: (time: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false
        return ''
      }
      const step = isDrawing ? 'L' : 'M'
      isDrawing = true
      const point = `${x(times[index]!).toFixed(1)} ${y(value).toFixed(1)}`
      return step === 'M' ? `M${point}h0` : `L${point}`
    })
    .join('')
}
