import type { Facet, Facets } from '../api/search.js'
import { useSession } from '../login/login-session.js'
import { isNobody } from '../parts/author.js'
import { useIsNarrow } from '../parts/use-is-narrow.js'
import { words } from '../words.js'
import { valueInWords } from './record-words.js'
import {
  type FacetName,
  facetNames,
  narrowingCount,
  type SearchQuestion,
  withoutNarrowing,
  withToggled,
} from './search-question.js'

interface Choices {
  readonly question: SearchQuestion
  readonly counted: Facets
  /** The same without narrowing; undefined: the search is not narrowed. */
  readonly unnarrowed: Facets | undefined
  /** Counts are lower bounds. */
  readonly isAtLeast: boolean
  titleOfSchema(id: string): string
  ask(question: SearchQuestion): void
}

/** Checkboxes that narrow a search, with the number of records that each value has; and the days of the last change. */
export function FacetChoices(choices: Choices) {
  const { question, counted, unnarrowed, isAtLeast, ask } = choices
  // The style sheet of pages shows choices and records beside each other from this width on.
  const isNarrow = useIsNarrow(59.99)
  const active = narrowingCount(question)
  const { token } = useSession()
  return (
    <details class="facets" open={!isNarrow}>
      <summary>{words.search.narrow(active)}</summary>
      {active > 0 && (
        <p>
          <button type="button" onClick={() => ask(withoutNarrowing(question))}>
            {words.search.widen}
          </button>
        </p>
      )}
      {(token !== undefined || question.isMine) && (
        <p>
          <label>
            <input
              type="checkbox"
              checked={question.isMine}
              aria-describedby="mine-hint"
              onChange={() => ask({ ...question, isMine: !question.isMine })}
            />
            {words.search.mine}
          </label>{' '}
          <span id="mine-hint" class="dim">
            {token === undefined ? words.search.mineOfNobody : words.search.mineHint}
          </span>
        </p>
      )}
      {facetNames.map(name => (
        <FacetGroup
          key={name}
          {...choices}
          name={name}
          facet={withoutNobody(
            name,
            withKept(counted.get(name), unnarrowed?.get(name), question.values[name]),
            question.values[name],
          )}
        />
      ))}
      <fieldset>
        <legend>{words.search.changed}</legend>
        <DayField
          label={words.search.from}
          value={question.from}
          change={from => ask({ ...question, from })}
        />
        <DayField
          label={words.search.until}
          value={question.until}
          change={until => ask({ ...question, until })}
        />
      </fieldset>
      {isAtLeast && <p class="dim">{words.search.atLeastCounts}</p>}
    </details>
  )
}

/** The values of a facet. Chosen values stay, and those that only the search without narrowing has, with 0. */
function withKept(
  facet: Facet = { values: [], more: 0, isTooLarge: false },
  unnarrowed: Facet | undefined,
  chosen: readonly string[],
): Facet {
  const listed = new Set(facet.values.map(({ value }) => value))
  // Values beyond the limit of a facet may have records.
  const lost = facet.more > 0 ? [] : (unnarrowed?.values ?? []).map(({ value }) => value)
  const kept = [...new Set([...lost, ...chosen])].filter(value => !listed.has(value))
  return { ...facet, values: [...facet.values, ...kept.map(value => ({ value, count: 0 }))] }
}

/** A record that was stored without a login names nobody as its creator. The value stays if it is chosen. */
function withoutNobody(name: FacetName, facet: Facet, chosen: readonly string[]): Facet {
  if (name !== 'author') return facet
  return { ...facet, values: facet.values.filter(({ value }) => !isNobody(value) || chosen.includes(value)) }
}

function FacetGroup({
  name,
  facet,
  question,
  titleOfSchema,
  ask,
}: Choices & { readonly name: FacetName; readonly facet: Facet }) {
  const { values, more, isTooLarge } = facet
  if (values.length === 0 && !isTooLarge) return null
  return (
    <fieldset>
      <legend>{words.search.facets[name]}</legend>
      {isTooLarge && <p class="dim">{words.search.tooLarge}</p>}
      {values.map(({ value, count }) => (
        <label key={value}>
          <input
            type="checkbox"
            aria-label={`${valueInWords(name, value, titleOfSchema)}, ${words.search.total(count, false)}`}
            checked={question.values[name].includes(value)}
            onChange={() => ask(withToggled(question, name, value))}
          />
          <span dir="auto">{valueInWords(name, value, titleOfSchema)}</span>{' '}
          <span class="count">{words.number(count)}</span>
        </label>
      ))}
      {more > 0 && <p class="dim">{words.search.moreValues(more)}</p>}
    </fieldset>
  )
}

function DayField({
  label,
  value,
  change,
}: {
  readonly label: string
  readonly value: string
  change(value: string): void
}) {
  return (
    <label class="day">
      {label}
      <input type="date" value={value} onChange={({ currentTarget }) => change(currentTarget.value)} />
    </label>
  )
}
