import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCpuTimer } from '#cpu-time'
import { parseXml, type XmlElement } from './parse-xml.ts'

test('R54: elements, attributes, text, CDATA, comments, entities and character references are parsed', () => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!-- a post -->
<post>
  <title a="1" b='"&lt;'>A &amp; B&#13;&#x1F600;<![CDATA[<&]]></title><?skip this?>
  <labels><item> x </item><item/></labels>
</post>
`
  assert.deepEqual(shown(text), [
    'post',
    ['title', { a: '1', b: '"<' }, 'A & B\r😀<&'],
    ['labels', ['item', ' x '], ['item', '']],
  ])
})

test('R54: line ends are normalized to one line feed', () => {
  assert.deepEqual(shown('<a>1\r\n2\r3</a>'), ['a', '1\n2\n3'])
})

const syntaxErrors: Record<string, RegExp> = {
  '': /no element/,
  hello: /text outside of the root element, at line 1, column 1/,
  '<a>\n <b></a>': /<\/a> closes nothing, at line 2, column 5/,
  '<a>': /<a> is not closed/,
  '<a/><b/>': /second root element/,
  '<a>x<b/></a>': /both text and elements/,
  '<!DOCTYPE a><a/>': /DOCTYPE/,
  '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>': /DOCTYPE/,
  '<a><!ENTITY x "y"></a>': /DOCTYPE/,
  '<a>&x;</a>': /"&x" is not a known entity/,
  '<a>a & b</a>': /is not a known entity/,
  '<a>&#0;</a>': /is not a known entity/,
  '<a>&#xD800;</a>': /is not a known entity/,
  '<a>\u0001</a>': /a character that XML does not allow/,
  '<a>]]></a>': /"\]\]>"/,
  '<a b="1" b="2"/>': /appears twice/,
  '<a b=1/>': /in quotes/,
  '<a b="<"/>': /"<" is not allowed in the value/,
  '<a b="1"c="2"/>': /unexpected "c"/,
  '<1/>': /unexpected "1"/,
  '<a><!-- </a>': /a comment is not closed/,
  '<a><![CDATA[ </a>': /CDATA section is not closed/,
  '<?xml version="1.0" encoding="latin1"?><a/>': /UTF-8/,
  [`${'<a>'.repeat(65)}${'</a>'.repeat(65)}`]: /deeper than 64/,
}

for (const [text, message] of Object.entries(syntaxErrors)) {
  test(`R54: ${JSON.stringify(text.slice(0, 40))} is a syntax error with a reason`, () => {
    const parsed = parseXml(text)
    assert.ok(!parsed.ok)
    assert.match(parsed.message, message)
  })
}

test('any body of a megabyte is parsed in less than 200 ms', () => {
  const bodies = [
    `<p>${'<a/>'.repeat(250_000)}</p>`,
    `<p>${'<a b=""/>'.repeat(110_000)}</p>`,
    `<p>${'<item>1</item>'.repeat(74_000)}</p>`,
    `<p>${'\r'.repeat(1_000_000)}</p>`,
    `<p>${'&amp;'.repeat(200_000)}</p>`,
    `<p>${'&'.repeat(1_000_000)}</p>`,
    '<'.repeat(1_000_000),
    '<a>'.repeat(300_000),
    `<p>${'<!--'.repeat(250_000)}`,
    `<p>${'<![CDATA['.repeat(100_000)}`,
    `<p ${Array.from({ length: 80_000 }, (_, index) => `a${index}="x"`).join(' ')}/>`,
    `<p${' '.repeat(1_000_000)}>`,
  ]
  for (const body of bodies) {
    const took = startCpuTimer()
    parseXml(body)
    const cost = took()
    assert.ok(cost < 200, `${body.slice(0, 12)}… took ${cost} ms`)
  }
})

type Shown = [name: string, ...(Record<string, string> | Shown | string)[]]

function shown(text: string): Shown {
  const parsed = parseXml(text)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message)
  return show(parsed.root)
}

function show({ name, attributes, children, text }: XmlElement): Shown {
  const shownAttributes = attributes.length > 0 ? [Object.fromEntries(attributes)] : []
  return [name, ...shownAttributes, ...(children.length > 0 ? children.map(show) : [text])]
}

test('1 MiB of character references blocks for less than 50 ms', () => {
  for (const reference of ['&#65;', '&#x41;', '&lt;']) {
    const text = `<title>${reference.repeat(Math.floor(1_048_000 / reference.length))}</title>`
    const times = Array.from({ length: 5 }, () => {
      const elapsed = startCpuTimer()
      assert.equal(parseXml(text).ok, true)
      return elapsed()
    })
    assert.ok(Math.min(...times) < 50, `${reference}: ${times}`)
  }
})
