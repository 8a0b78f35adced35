// Lets V8's young generation grow while a server serves, to a size of ours. By itself V8 lets it grow to 128 MB if many different
// requests come, and never makes it smaller; a quarter of it serves as fast.
//
// The size can't be set after the start of a process, but its growth can be turned on and off. `bin/twain.js` turns it off.

const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8')

const maxBytes = 32 * 1_048_576

const checkMs = 100

export function growYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2') // V8's default
  const check = setInterval(() => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (space !== undefined && space.space_size < maxBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(check)
  }, checkMs).unref()
}
