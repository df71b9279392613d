/** Text for people, which neither fixes nor tests anything. */
export const PROSE =
  /\.(md|rst|txt|adoc|po|pot)$|(^|\/)(docs?|changes?|changelog\.d|newsfragments|\.github|\.changeset)\/|(^|\/)(CHANGES|CHANGELOG|HISTORY|NEWS|AUTHORS|LICENSE)[^/]*$/i;
