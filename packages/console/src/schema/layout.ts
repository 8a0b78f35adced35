// Places the boxes and arrows of a picture, by dagre.

import { Graph, layout } from '@dagrejs/dagre'

export interface Box {
  name: string
  width: number
  height: number
}

export interface PlacedBox extends Box {
  /** The left upper corner. */
  x: number
  y: number
}

export interface Arrow {
  from: string
  to: string
  label: string
}

interface PlacedArrow<Kind extends Arrow> {
  arrow: Kind
  /** The attribute `d` of the path. */
  path: string
  /** The middle of the label. */
  x: number
  y: number
}

export interface Placed<Kind extends Arrow> {
  width: number
  height: number
  boxes: readonly PlacedBox[]
  arrows: readonly PlacedArrow<Kind>[]
}

/** The width of a character at the size of the pictures, with room to spare. */
export const characterWidth = 7
const margin = 12
const labelHeight = 16

interface Point {
  x: number
  y: number
}

/** Arrows between boxes that are not there are left out. */
export function place<Kind extends Arrow>(boxes: readonly Box[], arrows: readonly Kind[]): Placed<Kind> {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 40, edgesep: 10, marginx: margin, marginy: margin })
  for (const { name, width, height } of boxes) graph.setNode(name, { width, height })
  const drawn = arrows.filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to))
  for (const [index, { from, to, label }] of drawn.entries()) {
    const width = label === '' ? 0 : label.length * characterWidth
    graph.setEdge(from, to, { width, height: label === '' ? 0 : labelHeight, labelpos: 'c' }, String(index))
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    boxes: boxes.map((box) => {
      const { x, y } = graph.node(box.name) as Point
      return { ...box, x: x - box.width / 2, y: y - box.height / 2 }
    }),
    arrows: drawn.map((arrow, index) => {
      const edge = graph.edge(arrow.from, arrow.to, String(index)) as Point & { points: readonly Point[] }
      return { arrow, path: curve(edge.points), x: edge.x, y: edge.y }
    }),
  }
}

/** Through the middles between the points, so that corners are round. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points
  const last = rest.at(-1)!
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1]!
    const end = next === last ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${round(point)} ${round(end)}`
  })
  return `M${round(first!)} ${bends.length === 0 ? `L${round(last)}` : bends.join(' ')}`
}

function round({ x, y }: Point): string {
  return `${Math.round(x)},${Math.round(y)}`
}
