// Order of the search: guides and concepts first, then the reference, then what describes the inside.
var Scorer = {
  score: result => {
    const [docname, title, anchor, descr, score] = result;
    const room = docname.split("/")[0];
    const weight = { guide: 2, concepts: 2, reference: 1.5, features: 1.5, index: 1 }[room] || 0.5;
    return score * weight;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
