// What the benchmark runs inside the page of the console: `bench` of the page's own global object.

globalThis.bench = {
  /** Milliseconds from the answer with the token to the frame with the first cells. */
  watchFirstRows() {
    this.firstRows = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector('[role=gridcell]') === null) return
        observer.disconnect()
        requestAnimationFrame(() => {
          const signedIn = performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/tokens'))
          resolve(performance.now() - signedIn.responseEnd)
        })
      })
      observer.observe(document.body, { childList: true, subtree: true })
    })
  },

  /** Collects the milliseconds from each key to the end of the frame that shows it. */
  watchKeys() {
    this.keyTimes = []
    const onKey = ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => this.keyTimes.push(performance.now() - timeStamp)
        port2.postMessage(null)
      })
    }
    addEventListener('keydown', onKey, { capture: true })
  },

  /** Waits until so many keys are shown. */
  async keysShown(count) {
    while (this.keyTimes.length < count) await new Promise(requestAnimationFrame)
  },

  /** Scrolls to the end until all rows are there, then back. */
  async loadAllRows(count) {
    const grid = document.querySelector('[role=grid]')
    const body = grid.querySelector('.table-body')
    while (body.clientHeight < count * 32) {
      grid.scrollTop = grid.scrollHeight
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    grid.scrollTop = 0
  },

  /** Three rows a frame, and a column each fourth one. Returns the milliseconds of each frame. */
  scroll(count) {
    const grid = document.querySelector('[role=grid]')
    const times = []
    return new Promise((resolve) => {
      const step = (last) => (now) => {
        times.push(now - last)
        if (times.length === count) return resolve(times)
        grid.scrollTop += 96
        grid.scrollLeft += 60
        requestAnimationFrame(step(now))
      }
      requestAnimationFrame((now) => requestAnimationFrame(step(now)))
    })
  },

  idle() {
    return new Promise((resolve) => requestIdleCallback(resolve))
  },
}
