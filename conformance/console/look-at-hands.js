// What a page shows to people who use the keyboard, high contrast or zoom. Runs in the page.

/** A sentence for each control that is out of reach or has no visible focus, and in forced colours for what has no edge or no state. */
globalThis.lookAtHands = async () => {
  document.activeElement?.blur()
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))) // what the blur closes is gone
  const found = []
  const html = document.documentElement
  const isForced = matchMedia('(forced-colors: active)').matches
  const scope = document.querySelector('dialog:modal') ?? document.body
  if (html.scrollWidth > html.clientWidth) found.push(`the page scrolls sideways: ${html.scrollWidth} pixels`)
  // Forced colours paint over all backgrounds.
  if (isForced) for (const element of scope.querySelectorAll(stateful())) checkState(element)
  for (const control of scope.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]'))
    checkControl(control)
  return found

  function stateful() {
    return '[aria-current]:not([aria-current=false]), [aria-pressed=true], [aria-selected=true], .changed, .chosen, .open, .wrong, ins, del'
  }

  function checkState(element) {
    if (!isShown(element)) return
    const { outlineStyle, textDecorationLine, borderLeftWidth } = getComputedStyle(element)
    const isMarked = outlineStyle !== 'none' || textDecorationLine !== 'none' || Number.parseFloat(borderLeftWidth) >= 2
    if (!isMarked) found.push(`the state of ${print(element)} is only a background`)
  }

  function checkControl(control) {
    if (control.tabIndex < 0 || !isShown(control) || control.matches(':disabled') || control.closest('[inert]')) return
    const ring = control.closest('.cm-editor') ?? control // of an editor the frame has it
    document.activeElement?.blur()
    const before = outlineOf(ring)
    control.focus()
    if (document.activeElement !== control) return
    if (isForced && control.matches('button, input, select, textarea') && !hasEdge(control))
      found.push(`${print(control)} has no edge`)
    if (outlineOf(ring) === before || !isOutlined(ring)) found.push(`${print(control)} has no visible focus`)
    const middle = middleInView(control)
    const at = middle && document.elementFromPoint(middle.x, middle.y)
    if (middle === null || at === null)
      found.push(`${print(control)} is out of view, at ${JSON.stringify(control.getBoundingClientRect())}`)
    else if (!isSame(control, at) && at.closest('.menu-body') === null)
      // Tab closes a menu
      found.push(`${print(control)} is covered by ${print(at)}`)
  }

  function isSame(control, at) {
    return control.contains(at) || at.contains(control) || at.closest('label')?.contains(control) === true
  }

  function isShown(element) {
    return element.checkVisibility({ visibilityProperty: true })
  }

  function outlineOf(element) {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
    return `${outlineStyle} ${outlineWidth} ${outlineColor}`
  }

  /** Whether the outline, which is inside of its element, differs from the background. */
  function isOutlined(element) {
    const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(element)
    if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 1) return false
    if (outlineStyle === 'auto' || outlineColor === 'auto') return true
    let ground = Number.parseFloat(outlineOffset) < 0 ? element : element.parentElement
    while (ground !== null && /rgba\(.*, 0\)/.test(getComputedStyle(ground).backgroundColor))
      ground = ground.parentElement
    const [one, other] = [outlineColor, getComputedStyle(ground ?? html).backgroundColor]
      .map(luminance)
      .sort((a, b) => b - a)
    return (one + 0.05) / (other + 0.05) >= 3
  }

  /** WCAG 2.2, relative luminance. */
  function luminance(colour) {
    const parts = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Number(part) / 255)
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function hasEdge(element) {
    const { borderTopStyle, borderTopWidth, textDecorationLine } = getComputedStyle(element)
    const hasBorder = borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) > 0
    return hasBorder || textDecorationLine !== 'none' || element.matches('[type=checkbox], [type=radio], .chip button')
  }

  /** Of the part that all scrolling ancestors show; null: there is none. */
  function middleInView(element) {
    const own = element.getClientRects()[0] ?? element.getBoundingClientRect()
    const view = { left: Math.max(0, own.left), top: Math.max(0, own.top) }
    const end = { right: Math.min(innerWidth, own.right), bottom: Math.min(innerHeight, own.bottom) }
    for (let parent = element.parentElement; parent !== null && parent !== html; parent = parent.parentElement) {
      if (parent instanceof SVGElement || getComputedStyle(parent).overflow === 'visible') continue
      const box = parent.getBoundingClientRect()
      view.left = Math.max(view.left, box.left)
      view.top = Math.max(view.top, box.top)
      end.right = Math.min(end.right, box.right)
      end.bottom = Math.min(end.bottom, box.bottom)
      if (parent === scope) break
    }
    const [width, height] = [end.right - view.left, end.bottom - view.top]
    if (width < Math.min(8, own.width) || height < Math.min(8, own.height)) return null
    return { x: view.left + width / 2, y: view.top + height / 2 }
  }

  function print(element) {
    const name = element.getAttribute('aria-label') ?? element.textContent ?? ''
    return `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${name.trim().slice(0, 40)}"`
  }
}
