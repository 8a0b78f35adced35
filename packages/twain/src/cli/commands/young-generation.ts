// Lets V8's young generation grow while a server serves, to a size of ours. By itself V8 lets it grow to 128 MB if many different
// requests come; a quarter of it serves as fast.
//
// The size can't be set after the start of a process, but its growth can be turned on and off. `bin/twain.js` turns it off. V8 makes the
// young generation small again when a server is idle. Then it may grow again: with a megabyte for new objects, V8 takes objects of
// requests that still run for old ones, and each request costs twice the CPU time.

import { setInterval } from '#base/time'

const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8')

const maxBytes = 32 * 1_048_576

const checkMs = 100

export function growYoungGeneration(): void {
  let mayGrow = false
  const check = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    const isSmall = space !== undefined && space.space_size < maxBytes
    if (isSmall === mayGrow) return
    mayGrow = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`) // 2 is V8's default
  }
  check()
  setInterval(check, checkMs).unref()
}
