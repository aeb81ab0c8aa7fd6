/** A rectangle, in pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** A text that wants to stand by a point. */
export interface Label {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
  /** How far from the point its edge is, where a mark stands around the point. */
  readonly clear?: number
}

export interface PlacedLabel extends Label {
  /** Where the text starts, ends or has its middle, and its baseline. */
  readonly textX: number
  readonly textY: number
  readonly anchor: 'start' | 'middle' | 'end'
  readonly box: Box
}

/** Without fonts at hand the width is a guess on the wide side: digits are as wide as those of DejaVu Sans, letters narrower on average. */
const textWidth = (text: string, size: number): number =>
  size * [...text].reduce((sum, character) => sum + (/\d/.test(character) ? 0.64 : 0.57), 0)

/**
 * Puts each label at the first place by its point that hits nothing: no earlier label, no obstacle, not the frame. The frontier falls to
 * the right, so above right is free most often and tried first, then below left, then around, then farther off. A label that finds
 * no place takes the least bad one.
 */
export function placeLabels(labels: readonly Label[], obstacles: readonly Box[], frame: Box): readonly PlacedLabel[] {
  const taken = [...obstacles]
  return labels.map((label) => {
    const places = [10, 20, 32, 46, 62].flatMap((distance) => around(label, distance + (label.clear ?? 0)))
    const cost = ({ box }: PlacedLabel): number =>
      taken.reduce((sum, other) => sum + overlap(box, other), 0) + outside(box, frame)
    const free = places.find((place) => cost(place) === 0)
    const best = free ?? places.reduce((a, b) => (cost(b) < cost(a) ? b : a))
    taken.push(best.box)
    return best
  })
}

const DIRECTIONS = [
  [0.8, -0.8, 'start'],
  [-0.8, 0.9, 'end'],
  [1.1, 0, 'start'],
  [0, -1.1, 'middle'],
  [0, 1.3, 'middle'],
  [-1.1, 0, 'end'],
  [0.8, 0.9, 'start'],
  [-0.8, -0.8, 'end'],
] as const

function around(label: Label, distance: number): readonly PlacedLabel[] {
  const width = textWidth(label.text, label.size)
  return DIRECTIONS.map(([dx, dy, anchor]): PlacedLabel => {
    const textX = label.x + dx * distance
    // The baseline lies a third of the size below the middle of the letters.
    const middle = label.y + dy * distance
    const left = anchor === 'start' ? textX : anchor === 'end' ? textX - width : textX - width / 2
    const box = { left, right: left + width, top: middle - label.size * 0.6, bottom: middle + label.size * 0.6 }
    return { ...label, textX, textY: middle + label.size * 0.35, anchor, box }
  })
}

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return width > 0 && height > 0 ? width * height : 0
}

function outside(box: Box, frame: Box): number {
  const over =
    Math.max(0, frame.left - box.left) +
    Math.max(0, box.right - frame.right) +
    Math.max(0, frame.top - box.top) +
    Math.max(0, box.bottom - frame.bottom)
  return over * 20
}
