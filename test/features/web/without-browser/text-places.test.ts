// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { syntaxFinding } from '../../../../src/core/json/source-locations.js'
import { blameLines } from '../../../../src/features/web/browser/editor/blame-lines.js'
import { placeFindings } from '../../../../src/features/web/browser/editor/placed-findings.js'
import { placesOf } from '../../../../src/features/web/browser/editor/places.js'
import { mergedText, mergeTexts } from '../../../../src/features/web/browser/merge/merge-texts.js'

const xml = `<?xml version="1.0"?>
<p:parcel xmlns:p="urn:p">
  <weight unit="g">1</weight>
  <weight unit="kg">2</weight>
  <content/>
</p:parcel>
`

describe('the places of parts of a text', () => {
  it('are those of every value of any JSON, by JSON Pointer', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const text = JSON.stringify(value, null, indent)

        const places = placesOf(text, 'JSON')

        const values = [...places].map(([path, { from, to, mark }]) => {
          const isMember = text[from] === '"' && /^\s*:/.test(text.slice(mark.to))
          const own = isMember ? text.slice(mark.to, to).replace(/^\s*:/, '') : text.slice(from, to)
          return [path, JSON.stringify(JSON.parse(own))]
        })
        expect(values).to.deep.equal([...valuesOf(value, '')])
      }),
    )
  })

  it('are those of elements and attributes of XML, by XPath', () => {
    const places = placesOf(xml, 'XML')
    const at = (path: string) => {
      const place = places.get(path)
      return place && xml.slice(place.mark.from, place.mark.to)
    }

    expect(at('/p:parcel')).to.equal('p:parcel')
    expect(at('/p:parcel/weight[2]/@unit')).to.equal('unit')
    expect(places.get('/p:parcel/weight[2]')?.from).to.equal(xml.lastIndexOf('<weight'))
    expect(places.get('/p:parcel/weight')?.from).to.equal(xml.indexOf('<weight'))
    expect(places.get('/p:parcel/weight[1]')?.from).to.equal(xml.indexOf('<weight'))
    expect(at('/p:parcel/content')).to.equal('content')
    expect(at('/p:parcel/missing')).to.equal(undefined)
  })

  it('are found in a text that is nested deeply, and in one that is broken', () => {
    const deep = `${'['.repeat(2_000)}1${']'.repeat(2_000)}`

    expect(placesOf(deep, 'JSON').size).to.equal(2_001)
    expect([...placesOf('{ "a": 1, "b": [2, ', 'JSON').keys()]).to.include.members(['', '/a', '/b', '/b/0'])
    expect([...placesOf('<a><b c="1"><d>', 'XML').keys()]).to.include.members(['/a', '/a/b', '/a/b/@c'])
  })
})

describe('the places of findings', () => {
  const text = '{\n  "mass": { "value": "heavy" },\n  "extra": 1\n}\n'
  const marked = (finding: { message: string; path?: string; line?: number }, of = text) => {
    const [placed] = placeFindings(of, 'JSON', [finding])
    return placed && of.slice(placed.from, placed.to)
  }

  it('are the name of the member, and the opening bracket of the whole document', () => {
    expect(marked({ message: 'must be number', path: '/mass/value' })).to.equal('"value"')
    expect(marked({ message: 'a member is missing', path: '/mass' })).to.equal('"mass"')
    expect(marked({ message: 'a member is missing', path: '' })).to.equal('{')
  })

  it('are the line, without the spaces around it, if a finding has no path or an unknown one', () => {
    expect(marked({ message: 'not JSON', line: 3 })).to.equal('"extra": 1')
    expect(marked({ message: 'not here', path: '/nothing', line: 2 })).to.equal(
      '"mass": { "value": "heavy" },',
    )
    expect(marked({ message: 'nowhere' })).to.equal('{')
    expect(marked({ message: 'past the end', line: 99 }, '1\n\n')).to.equal('')
  })
})

describe('the plain words of findings', () => {
  const text = '{\n  "mass": { "value": "heavy" },\n  "doi": 1\n}\n'
  const plain = (
    finding: { message: string; path?: string; missing?: string; unknown?: string },
    of = text,
  ) => placeFindings(of, 'JSON', [finding])[0]?.plain

  it('name what is missing, what is not known, and the value of another type', () => {
    const missing = "must have required property 'publicationYear'"
    expect(plain({ message: missing, path: '', missing: 'publicationYear' })).to.equal(
      '“publicationYear” is missing.',
    )
    expect(plain({ message: 'must NOT have additional properties', path: '/doi', unknown: 'doi' })).to.equal(
      '“doi” is not known in this schema.',
    )
    expect(plain({ message: 'must be number', path: '/mass/value' })).to.equal('“heavy” is not a number.')
    expect(plain({ message: 'must be string', path: '/mass' })).to.equal('The schema wants a text here.')
    expect(plain({ message: 'something else', path: '/mass' })).to.equal(undefined)
  })

  it('name the first fault of a text that is no JSON', () => {
    const fault = (broken: string) => {
      const { message } = syntaxFinding(broken)
      return plain({ message }, broken)
    }
    expect(fault(text.replace('},', '}'))).to.equal('A comma is missing before "doi": 1.')
    expect(fault(text.replace('"doi":', '"doi"'))).to.equal('A colon is missing before 1.')
    expect(fault(text.replace('1\n', '1,\n'))).to.equal(
      'Before } a value is missing, or there is a comma too many.',
    )
    expect(fault(text.replace('1\n}', '1'))).to.equal('The text ends too early.')
    expect(fault(`${text}x`)).to.equal('After the end of the document follows x.')
  })
})

describe('the lines of a document', () => {
  const member = (path: string, version: number) => ({
    path,
    version,
    commit: `c${version}`,
    time: '',
    author: '',
  })

  it('have the newest version of what begins in them; brackets have that of what is between them', () => {
    const text = '{\n  "a": 1,\n  "b": {\n    "c": 2,\n    "d": 3\n  }\n}\n'
    const members = [member('', 5), member('/a', 2), member('/b', 5), member('/b/c', 3), member('/b/d', 5)]

    const groups = blameLines(text, 'JSON', members)

    expect(groups.map(({ first, lines, change }) => [first, lines.length, change.version])).to.deep.equal([
      [1, 2, 2],
      [3, 2, 3],
      [5, 3, 5],
    ])
  })

  it('are all there, in order', () => {
    const members = [member('', 1), member('/0', 1), member('/1', 2)]
    for (const text of ['[1,2]', '[1,\n2]\n', '\n\n[1,\n\n2\n]', '']) {
      const lines = blameLines(text, 'JSON', members).flatMap(group => group.lines)
      expect(lines.join('\n'), text).to.equal(text.replace(/(?<=.)\n$/, ''))
    }
  })
})

describe('a merge of three texts', () => {
  const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd')).map(each => each.join(''))

  it('is the text that changed, if only one did, or both the same', () => {
    fc.assert(
      fc.property(lines, lines, (base, changed) => {
        for (const [mine, theirs] of [
          [changed, base],
          [base, changed],
          [changed, changed],
        ] as const) {
          const parts = mergeTexts(mine, base, theirs)
          expect(parts.every(({ kind }) => kind === 'merged')).to.equal(true)
          expect(mergedText(parts, [])).to.equal(changed)
        }
      }),
    )
  })

  it('is one of both texts, if that is chosen at every conflict and the other one changed nothing else', () => {
    const parts = mergeTexts('1\nmine\n3\n4\n', '1\n2\n3\n4\n', '1\ntheirs\n3\nfour\n')

    expect(mergedText(parts, ['mine'])).to.equal('1\nmine\n3\nfour\n')
    expect(mergedText(parts, ['theirs'])).to.equal('1\ntheirs\n3\nfour\n')
    expect(() => mergedText(parts, [])).to.throw(RangeError)
  })
})

/** The values of a JSON value by JSON Pointer, in the order of their text. */
function* valuesOf(value: unknown, path: string): Generator<readonly [string, string]> {
  yield [path, JSON.stringify(value)]
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    yield* valuesOf(inner, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}
