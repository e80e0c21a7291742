import type { SearchHit } from '../api/search.js'
import { words } from '../words.js'

/**
 * What a record and its document say about themselves, in one line: people, year and licence; the beginning of the
 * description; keywords.
 * @param props.isTextShown whether the beginning of the description stands elsewhere
 */
export function AboutRecord({
  description,
  isTextShown = false,
}: {
  readonly description: SearchHit['description']
  readonly isTextShown?: boolean
}) {
  const { people = [], hasMorePeople, year, licence, text, keywords = [] } = description ?? {}
  const named = [...people, ...(hasMorePeople ? ['…'] : [])]
  const dated = [year, licence].filter(fact => fact !== undefined)
  const hasFacts = named.length + dated.length > 0
  const beginning = isTextShown ? undefined : text
  if (!hasFacts && beginning === undefined && keywords.length === 0) return null
  return (
    <div class="about-record">
      {hasFacts && (
        <span>
          <Texts texts={named} separator="; " />
          {named.length > 0 && dated.length > 0 && ', '}
          <Texts texts={dated} separator=", " />
        </span>
      )}
      {beginning !== undefined && <span dir="auto">{beginning}</span>}
      {keywords.length > 0 && (
        <span>
          <span class="unseen">{words.reading.keywords}: </span>
          <Texts texts={keywords} separator=", " />
        </span>
      )}
    </div>
  )
}

/** Texts in one line, each in its own direction of writing. */
function Texts({ texts, separator }: { readonly texts: readonly string[]; readonly separator: string }) {
  return <>{texts.map((text, index) => [index > 0 && separator, <bdi key={text}>{text}</bdi>])}</>
}
