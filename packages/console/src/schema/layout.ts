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

/** About the shape of the canvas: width by height. */
const canvasShape = 2

/** In the direction that can be shown larger. Arrows between boxes that are not there are left out. */
export function place<Kind extends Arrow>(boxes: readonly Box[], arrows: readonly Kind[]): Placed<Kind> {
  const [across, down] = [placeAlong('LR', boxes, arrows), placeAlong('TB', boxes, arrows)]
  const needed = ({ width, height }: Placed<Kind>) => Math.max(width, height * canvasShape)
  return needed(down) < needed(across) ? down : across
}

function placeAlong<Kind extends Arrow>(
  rankdir: 'LR' | 'TB',
  boxes: readonly Box[],
  arrows: readonly Kind[],
): Placed<Kind> {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir, nodesep: 18, ranksep: 40, edgesep: 10, marginx: margin, marginy: margin })
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
      if (arrow.from === arrow.to) return { arrow, ...loopAt(graph.node(arrow.from) as Point & { width: number }) }
      const edge = graph.edge(arrow.from, arrow.to, String(index)) as Point & { points: readonly Point[] }
      return { arrow, path: curve(edge.points), x: edge.x, y: edge.y }
    }),
  }
}

/** To the right of the box, where dagre leaves room for it. */
function loopAt({ x, y, width }: Point & { width: number }): { path: string } & Point {
  const right = x + width / 2
  const at = (dx: number, dy: number) => round({ x: right + dx, y: y + dy })
  return { path: `M${at(0, -10)} C${at(36, -28)} ${at(36, 28)} ${at(0, 10)}`, x: right + 40, y }
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
