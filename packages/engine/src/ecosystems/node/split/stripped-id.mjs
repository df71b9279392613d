/** Id of a stripped test without its rows, and their numbers from the outside. */
export function splitStripped(id) {
  const at = id.indexOf(' > ');
  const rows = [];
  const titles = id.slice(at).replace(/ \[(\d+)\](?= > |$)/g, (_, row) => {
    rows.push(Number(row));
    return '';
  });
  return { base: id.slice(0, at) + titles, rows };
}
