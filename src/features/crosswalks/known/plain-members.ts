/*
 * The crosswalk for documents of an unknown schema: members at the top of JSON, and elements below the root of XML, whose
 * names leave no doubt. It never takes the name of a person from free text.
 */

const names = (list: string) => list.split(' ')

/** A choice of members at the top of JSON or below the root element of XML, which is called `*` here. */
function plainCrosswalk(at: string): Readonly<Record<string, unknown>> {
  const paths = (list: string) => names(list).map(name => at + name)
  const first = (list: string) => ({ first: paths(list) })
  const agents = (list: string) => ({
    first: paths(list).map(each => [
      {
        each,
        name: { first: ['name', 'fullName', 'full_name', 'creatorName', 'authorName', 'organization', '.'] },
        givenName: { first: names('givenName given_name givenname firstName first_name forename') },
        familyName: { first: names('familyName family_name familyname lastName last_name surname') },
        nameIdentifiers: {
          first: names('orcid ORCID orcidId').map(id => ({ each: id, nameIdentifier: '.' })),
        },
        affiliation: {
          first: names('affiliation affiliations institution').map(of => ({
            each: of,
            name: { first: ['name', '.'] },
          })),
        },
      },
    ]),
  })
  return {
    identifier: {
      first: paths('doi DOI').map(each => ({
        each,
        identifier: '.',
        identifierType: { constant: 'DOI' },
      })),
    },
    creators: agents('creators creator authors author creators.creator authors.author'),
    titles: {
      title: first('title titles.title name label dataset_title datasetTitle titles'),
    },
    publisher: { first: paths('publisher.name publisher') },
    publicationYear: first(
      'publicationYear publication_year publicationDate publication_date datePublished date_published ' +
        'dateIssued issued date year',
    ),
    subjects: {
      first: paths('keywords.keyword keywords keyword subjects.subject subjects tags').map(each => [
        { each, where: { name: null, subject: null }, subject: { path: '.', split: ';' } },
        { each, subject: { first: ['subject', 'name'] } },
      ]),
    },
    dates: paths('datePublished date_published publicationDate issued date').map(each => ({
      each,
      date: '.',
      dateType: { constant: 'Issued' },
    })),
    language: first('language lang inLanguage'),
    version: first('version'),
    rightsList: {
      first: paths('license licence licenses licences rights').map(each => [
        {
          each,
          rights: { first: ['name', 'title', 'id', 'identifier', 'url', '.'] },
          rightsUri: { first: ['url', 'uri', 'path', '@id'] },
        },
      ]),
    },
    descriptions: {
      description: first('description abstract descriptions.description summary'),
      descriptionType: { constant: 'Abstract' },
    },
  }
}

/** @param root local name of the root element; undefined for JSON */
export function plainMembers(root: string | undefined): Readonly<Record<string, unknown>> {
  return plainCrosswalk(root === undefined ? '' : `${root}.`)
}
