// How much memory the defaults of limits may take: on a small machine less than on a large one.
//
// 1. V8 counts its young generation in `heap_size_limit`, which has up to 192 MB even if --max-old-space-size is small. What lives long has
//    the rest. Without that flag, in a small container, the young generation is small too, so at least half is left.
// 2. Half of the memory of a container (its cgroup) is for what is outside of the heap: buffers, threads, pages of files.

import { getHeapStatistics } from 'node:v8'

const maxYoungBytes = 201_326_592

/** The part of the memory, and at most `most`. */
export function memoryShare(most: number, part: number, memory = memoryBytes()): number {
  return Math.min(most, Math.floor(memory * part))
}

function memoryBytes(): number {
  return memoryFor(getHeapStatistics().heap_size_limit, process.constrainedMemory())
}

/** `container`: the limit of the cgroup; 0 or more than any machine has: there is none. */
export function memoryFor(heapLimit: number, container: number): number {
  const heap = Math.max(heapLimit - maxYoungBytes, heapLimit / 2)
  return container > 0 ? Math.min(heap, container / 2) : heap
}
