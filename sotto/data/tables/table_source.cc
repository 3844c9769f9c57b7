#include "sotto/data/tables/table_source.h"

#include <utility>

#include "sotto/data/streams/label_parser.h"
#include "sotto/data/streams/schema.h"
#include "sotto/data/streams/stream_format.h"

namespace sotto {

Result<ReaderParams> MakeReaderParams(const TableSource& source) {
  ReaderParams params{.path = source.path,
                      .header = source.header,
                      .label = source.label,
                      .user = source.user,
                      .skip_bad = source.skip_bad};
  params.format = source.format.empty() ? FormatOfPath(source.path)
                                        : FormatNamed(source.format);
  if (!params.format) params.format = StreamFormat::kCsv;
  if (source.columns) {
    params.columns = static_cast<std::uint32_t>(*source.columns);
  }
  if (!source.labels.empty()) {
    SOTTO_TRY_ASSIGN(params.labels, ParseLabelWords(source.labels));
  }
  if (!source.schema.empty()) {
    SOTTO_TRY_ASSIGN(params.encoding.schema, Schema::FromFile(source.schema));
  }
  return params;
}

}  // namespace sotto
