import { expect } from 'chai'
import { readHtml } from '../../support/http/strict-html.js'
import { metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** A schema with titles, references into its own definitions and into a file, alternatives and a fixed member. */
const experiment = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Experiment',
  type: 'object',
  properties: {
    title: { title: 'Name of the experiment', type: 'string' },
    startedOn: { type: 'string', format: 'date', description: 'The first day of the measurement.' },
    operator: { title: 'Who measured', $ref: 'people.json#/$defs/person' },
    helpers: { title: 'Helpers', type: 'array', items: { $ref: 'people.json#/$defs/person' } },
    beam: {
      title: 'Beam',
      oneOf: [
        {
          title: 'Electrons',
          properties: { kind: { const: 'electrons' }, kV: { title: 'Voltage in kilovolts', type: 'number' } },
        },
        {
          title: 'Light',
          properties: { kind: { const: 'light' }, nm: { title: 'Wavelength in nanometres', type: 'number' } },
        },
      ],
    },
    counts: { title: 'Counts', type: 'integer' },
    area: {
      title: 'Where the sample is from',
      type: 'object',
      properties: {
        west: { type: 'number' },
        east: { type: 'number' },
        south: { type: 'number' },
        north: { type: 'number' },
      },
    },
  },
}
const people = {
  $defs: {
    person: {
      type: 'object',
      properties: {
        name: { title: 'Full name', type: 'string' },
        orcid: { title: 'ORCID iD', type: 'string' },
      },
    },
  },
}

describe('a JSON document on its page', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service
      .postSchema({ schemaId: 'experiment', label: 'Experiments' }, JSON.stringify(experiment), {
        'people.json': JSON.stringify(people),
      })
      .expect(201)
    await service.postSchema({ schemaId: 'free' }, '{"type":"object"}').expect(201)
  })
  after(removeRepositories)

  async function open(path: string) {
    const answer = await service.http.get(path).set('Accept', 'text/html,*/*;q=0.8').expect(200)
    const { elements, text } = readHtml(answer.text)
    const targets = elements.filter(({ name }) => name === 'a').map(({ attributes }) => attributes.href ?? '')
    const drawn = /<div class="drawn">[\s\S]*?(?=<details class="as-text">)/.exec(answer.text)?.[0] ?? ''
    const shown =
      drawn === ''
        ? ''
        : readHtml(`<!DOCTYPE html>\n${drawn.replace(/<\/(?=d[dtiv]|li|summary)/g, ' </')}`).text.replace(
            /\s+/g,
            ' ',
          )
    return { elements, text, targets, html: answer.text, drawn, shown }
  }

  async function openNew(id: string, schemaId: string, document: string) {
    const record = metadataRecordV1(`https://example.org/${id}`, schemaId, { id })
    await service.postMetadata(record, document).expect(201)
    return await open(`/metadata-landing-page?id=${id}`)
  }

  it('has the titles and descriptions of the schema as labels', async () => {
    const document = {
      title: 'Grain boundaries',
      startedOn: '2026-03-14',
      counts: 1234567,
      operator: { name: 'Ada Lovelace', orcid: '0000-0002-1825-0097' },
    }
    const { shown, drawn, targets } = await openNew('labels', 'experiment', JSON.stringify(document))

    expect(shown).to.contain('Name of the experiment')
    expect(shown).to.contain('Started on').and.contain('The first day of the measurement.')
    expect(shown).to.contain('14 March 2026').and.contain('1,234,567')
    expect(drawn).to.contain('<time datetime="2026-03-14">').and.contain('<data value="1234567">')
    // The title of the member counts, and the definition in the file has those of its members.
    expect(shown).to.contain('Who measured').and.contain('Full name').and.contain('Ada Lovelace')
    expect(targets).to.contain('https://orcid.org/0000-0002-1825-0097')
  })

  it('shows a list of groups as a table', async () => {
    const helpers = [{ name: 'Grace Hopper', orcid: '0000-0001-5109-3700' }, { name: 'Mary Somerville' }]
    const { drawn, shown } = await openNew('table', 'experiment', JSON.stringify({ helpers }))

    const headings = readHtml(`<!DOCTYPE html>\n${/<thead>[\s\S]*?<\/thead>/.exec(drawn)?.[0]}`).text
    expect(headings).to.equal('Full nameORCID iD')
    expect(drawn.match(/<tr>/g)).to.have.length(3)
    expect(shown).to.contain('Mary Somerville')
  })

  it('has the labels of the alternative that fits', async () => {
    const electrons = await openNew('beam-1', 'experiment', '{"beam":{"kind":"electrons","kV":300}}')
    expect(electrons.shown).to.contain('Voltage in kilovolts').and.not.contain('Wavelength')

    const light = await openNew('beam-2', 'experiment', '{"beam":{"kind":"light","nm":532.10}}')
    expect(light.shown).to.contain('Wavelength in nanometres').and.not.contain('Voltage')
  })

  it('draws coordinates on a map', async () => {
    const area = { west: 8.3, east: 8.5, south: 48.9, north: 49.1 }
    const { elements, shown } = await openNew('area', 'experiment', JSON.stringify({ area }))

    expect(
      elements.filter(({ name }) => name === 'svg' || name === 'figcaption').map(({ name }) => name),
    ).to.include('figcaption')
    expect(shown).to.contain('48.9° N to 49.1° N, 8.3° E to 8.5° E')
    const nowhere = await openNew(
      'nowhere',
      'experiment',
      '{"area":{"west":900,"east":1,"south":2,"north":3}}',
    )
    expect(nowhere.shown).to.contain('900').and.not.contain('°')
  })

  it('draws a polygon of DataCite as one map, with its corners below it', async () => {
    const corner = (longitude: number, latitude: number) => ({
      polygonPoint: { pointLongitude: longitude, pointLatitude: latitude },
    })
    const geoLocationPolygon = [
      ...[corner(8, 48), corner(10, 48), corner(9, 50), corner(8, 48)],
      { inPolygonPoint: { pointLongitude: 9, pointLatitude: 49 } },
    ]
    const geoLocations = [{ geoLocationPlace: 'The valley', geoLocationPolygon }]
    const { drawn, shown } = await openNew('polygon', 'free', JSON.stringify({ geoLocations }))

    expect(drawn.match(/<svg/g)).to.have.length(1)
    expect(shown).to.contain('48° N to 50° N, 8° E to 10° E').and.contain('The 4 points')
    expect(drawn.match(/<li>/g)).to.have.length(4)
  })

  it('shows members that the schema does not know by their names, and links only to the web and mail', async () => {
    const document = {
      extraNote: 'x',
      site: 'https://example.org/a?b=c&d',
      paper: '10.5281/zenodo.1234',
      contact: 'ada@example.org',
      code: 'javascript:alert(1)',
      data: 'data:text/html,<script>alert(1)</script>',
    }
    const { shown, targets, elements } = await openNew('links', 'free', JSON.stringify(document))

    expect(shown).to.contain('Extra note').and.contain('javascript:alert(1)')
    expect(targets).to.include.members([
      'https://example.org/a?b=c&d',
      'https://doi.org/10.5281/zenodo.1234',
      'mailto:ada@example.org',
    ])
    for (const target of targets)
      expect(target).to.match(/^(?:https?:\/\/|mailto:ada@|#|app\/(?:metadata\/links\/|new\?from=links$))/)
    expect(elements.filter(({ name }) => name === 'script')).to.have.length(1)
  })

  it('keeps the digits of numbers', async () => {
    const { shown, text } = await openNew(
      'digits',
      'free',
      '{"long":12345678901234567890,"year":2026,"zero":-0.10,"huge":1e400,"flag":true,"none":null}',
    )
    expect(shown).to.contain('12,345,678,901,234,567,890').and.contain('Year 2026').and.contain('1e400')
    expect(shown).to.contain('Flag yes').and.contain('None empty')
    expect(text).to.contain('"long": 12345678901234567890')
  })

  it('has the text with a number for each line below the drawing', async () => {
    const { html, elements } = await openNew('text', 'free', '{"a":[1,2]}')

    expect(html).to.contain('<summary>As text</summary>')
    const [pre = ''] = /<pre class="lines"[\s\S]*?<\/pre>/.exec(html) ?? []
    expect(pre.match(/<span>/g)).to.have.length(6)
    expect(elements.some(({ attributes }) => 'download' in attributes)).to.equal(true)
  })

  it('takes markup of documents and of schemas as text', async () => {
    const attack = `"><script>alert('x')</script><img src=x onerror=alert(1)>&amp;<!--`
    const schema = {
      type: 'object',
      properties: {
        [attack]: { title: attack, description: attack, type: 'string' },
        list: { title: attack, items: { properties: { a: { title: attack }, b: { title: attack } } } },
      },
    }
    await service.postSchema({ schemaId: 'hostile' }, JSON.stringify(schema)).expect(201)
    const document = {
      [attack]: attack,
      list: [{ a: attack, b: `https://example.org/${attack}` }, { [attack]: attack }],
      long: attack.repeat(20),
    }

    const { elements, drawn } = await openNew('hostile-1', 'hostile', JSON.stringify(document))

    expect(elements.filter(({ name }) => name === 'script')).to.have.length(1)
    expect(elements.filter(({ name }) => name === 'img')).to.deep.equal([])
    expect(drawn).to.contain('&lt;script&gt;')
    const page = await open('/schema-landing-page?schemaId=hostile')
    expect(page.elements.filter(({ name }) => name === 'img')).to.deep.equal([])
  })

  it('draws a part of a document with many values, and says so', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ name: `entry ${index}` }))
    const { text, drawn, shown } = await openNew('many', 'free', JSON.stringify({ many }))

    expect(text).to.contain('only its beginning is drawn')
    expect(shown).to.contain('entry 20').and.not.contain('entry 4999')
    expect(drawn.length).to.be.below(500_000)
    const deep = await openNew('deep', 'free', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)
    expect(deep.text).to.contain('only its beginning is drawn')
  })

  it('ends on a schema whose alternatives refer to themselves', async () => {
    const node = {
      oneOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/other' }],
      properties: { next: { $ref: '#/$defs/node' }, name: { title: 'Name of the node' } },
    }
    const other = {
      anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/other' }, {}],
      allOf: [{ $ref: '#/$defs/node' }],
    }
    const schema = { properties: { root: { $ref: '#/$defs/node' } }, $defs: { node, other } }
    await service.postSchema({ schemaId: 'circular' }, JSON.stringify(schema)).expect(201)

    const page = await open('/schema-landing-page?schemaId=circular')

    expect(page.text).to.contain('Name of the node').and.contain('The same as Root')
  })

  it('tells nothing of a schema that the caller may not read', async () => {
    const closed = await startService({
      identify: ctx => {
        const sid = ctx.get('X-Caller') || 'anonymousUser'
        return { sid, name: sid, email: `${sid}@example.org`, administrator: false, groups: [] }
      },
    })
    const schema = '{"properties":{"a":{"title":"Secret title"}}}'
    await closed.postSchema({ schemaId: 'secret' }, schema).set('X-Caller', 'ada').expect(201)
    const record = metadataRecordV1('https://example.org/1', 'secret', {
      id: 'open',
      acl: [{ sid: 'anonymousUser', permission: 'READ' }],
    })
    await closed.postMetadata(record, '{"a":"shown"}').set('X-Caller', 'ada').expect(201)

    const page = async (caller: string) =>
      readHtml(
        (await closed.http.get('/metadata-landing-page?id=open').set('X-Caller', caller).expect(200)).text,
      ).text

    expect(await page('ada')).to.contain('Secret title')
    expect(await page(''))
      .to.contain('shown')
      .and.not.contain('Secret title')
  })
})
