# Reports of the last week's sales.
class Report
  attr_reader :rows

  def initialize(rows)
    @rows = rows
  end

  def average
    rows.sum { |row| row[:cents] } / rows.size
  end

  def top(count = 3)
    rows.sort_by { |row| -row[:cents] }.first(count)
  end

  def to_csv
    rows.map { |row| row.values.join(",") }.join("\n")
  end
end
