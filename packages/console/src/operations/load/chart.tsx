// A chart over time, drawn by uPlot. Lines differ by their dashes, too, and all figures are in the tables of the page.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

export interface ChartLine {
  label: string
  values: readonly (number | null)[]
  dash?: number[]
  isBad?: boolean
}

interface ChartProps {
  title: string
  /** For those who do not see the picture. */
  summary: string
  /** In seconds since 1970. */
  times: readonly number[]
  lines: readonly ChartLine[]
}

const height = 180

export function Chart({ title, summary, times, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  useEffect(() => {
    const element = place.current!
    const made = new uPlot(optionsFor(element, lines), [[]], element)
    chart.current = made
    const resizing = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    resizing.observe(element)
    return () => {
      resizing.disconnect()
      made.destroy()
    }
  }, [])
  useEffect(() => {
    chart.current!.setData([[...times], ...lines.map(({ values }) => [...values])])
  }, [times, lines])
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {lines.map(({ label, dash, isBad }) => (
          <span key={label} class={isBad === true ? 'key bad' : 'key'}>
            {dash === undefined ? '━' : dash[0]! > 4 ? '╍' : '┅'} {label}
          </span>
        ))}
      </figcaption>
      <div role="img" aria-label={summary} ref={place} />
    </figure>
  )
}

/** The colours are those of the page, also dark and forced ones. */
function optionsFor(element: HTMLElement, lines: readonly ChartLine[]): uPlot.Options {
  const figure = element.closest('figure')!
  const colours = getComputedStyle(figure)
  const bad = figure.querySelector('.bad')
  const axis: uPlot.Axis = {
    stroke: colours.color,
    grid: { stroke: colours.borderTopColor, width: 1 },
    ticks: { stroke: colours.borderTopColor },
  }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, max) => [0, Math.max(max ?? 0, 1)] } },
    axes: [axis, axis],
    series: [
      {},
      ...lines.map(
        ({ label, dash, isBad }): uPlot.Series => ({
          label,
          stroke: isBad === true && bad !== null ? getComputedStyle(bad).color : colours.borderLeftColor,
          width: 2,
          ...(dash === undefined ? {} : { dash }),
        }),
      ),
    ],
  }
}
